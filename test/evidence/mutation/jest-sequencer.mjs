import Sequencer from '@jest/test-sequencer';

/** Begins with the files that took the shortest time, because a run ends at the first failure. */
export default class ShortestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => (a.duration ?? 0) - (b.duration ?? 0));
  }
}
