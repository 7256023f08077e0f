import { type FinishedCall, linearizes } from './explorer/history.ts';
import type { OwnerCalls } from './owner-calls.ts';

/** A call about one plant, or a list of all. */
interface Recorded extends FinishedCall {
  id: number | undefined;
}

/** The name of a plant tells its id, so that a list can be read plant by plant. */
const nameOf = (id: number, variety: string) => `${id}-${variety}`;

/** The calls of an owner, which are recorded. Each resolves with its status. */
interface RecordedCalls {
  create(id: number, variety: string): Promise<number>;
  delete(id: number): Promise<number>;
  list(): Promise<number>;
}

/** The calls of several clients at once, with the order of their starts and ends. */
interface History {
  calls: Recorded[];
  now(): number;
  of(owner: OwnerCalls): RecordedCalls;
  /** Begins a fault, which the calls that are or will be in progress may meet. */
  beginFault(name: string): void;
  endFault(): void;
  /**
   * Returns the calls that no order explains, if there are any. The history must begin without
   * plants and end with a list.
   */
  violation(): string | undefined;
}

/** Begins to record. */
export function startHistory(): History {
  const calls: Recorded[] = [];
  const inProgress = new Set<Recorded>();
  let fault: string | undefined;
  let lastMoment = 0;
  const nextMoment = () => ++lastMoment;

  /** Makes a call and returns its status. */
  async function record(
    operation: string,
    id: number | undefined,
    send: () => Promise<{ status: number; body: string }>,
  ): Promise<number> {
    const start = nextMoment();
    const faults = fault === undefined ? [] : [fault];
    const call: Recorded = { operation, id, status: 0, body: '', arrivals: [start], faults };
    inProgress.add(call);
    const { status, body } = await send();
    inProgress.delete(call);
    calls.push(Object.assign(call, { status, body, arrivals: [start, nextMoment()] }));
    return status;
  }

  return {
    calls,
    now: nextMoment,
    of: ({ create, remove, list }) => ({
      create(id, variety) {
        const name = nameOf(id, variety);
        return record(`create ${name}`, id, () => create(id, { name, tag: '' }));
      },
      delete: (id) => record('delete', id, () => remove(id)),
      list: () => record('list', undefined, list),
    }),
    beginFault(name) {
      fault = name;
      for (const { faults } of inProgress) {
        faults.push(name);
      }
    },
    endFault() {
      fault = undefined;
    },
    violation() {
      for (const id of new Set(calls.map((call) => call.id))) {
        if (id === undefined) {
          continue;
        }
        const ofPlant = callsAbout(id, calls);
        const [plant] = plantsIn(ofPlant.at(-1)?.body ?? '');
        if (linearizes(ofPlant, undefined, plant?.name)) {
          continue;
        }
        const lines = ofPlant.map(describe).join('\n');
        return `No order explains the calls about plant ${id}:\n${lines}`;
      }
      return undefined;
    },
  };
}

/** Returns the calls about a plant, and the lists as if they had been about it alone. */
const callsAbout = (id: number, calls: Recorded[]): Recorded[] =>
  calls
    .filter((call) => call.id === id || call.id === undefined)
    .map((call) => {
      if (call.id === id || call.status !== 200) {
        return call;
      }
      const plants = plantsIn(call.body).filter(({ name }) => name.startsWith(nameOf(id, '')));
      return { ...call, body: JSON.stringify(plants) };
    });

const plantsIn = (body: string) => JSON.parse(body) as { name: string }[];

const describe = ({ operation, status, body, arrivals, faults }: Recorded) =>
  `${arrivals.join(' to ')}: ${operation}: ${[status, ...faults].join(', ')} ${body}`;
