import { endingSignals } from '../command-line/lifecycle.ts';

/**
 * Returns a signal that Ctrl-C aborts, and a terminal that closes, so that a command finishes what
 * is in progress.
 */
export function onInterrupt(): AbortSignal {
  const controller = new AbortController();
  for (const signal of endingSignals) {
    process.on(signal, () => controller.abort());
  }
  return controller.signal;
}
