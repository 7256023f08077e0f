import { type FinishedCall, linearizes } from './explorer/history.ts';
import type { OwnerCalls } from './owner-calls.ts';

/** A finished call. */
interface Recorded extends FinishedCall {
  /** undefined for a list. */
  id: number | undefined;
}

/** Returns a name that includes the id, because lists have only names. */
const makeName = (id: number, variety: string) => `${id}-${variety}`;

/** Records the calls of concurrent clients, with the order of their starts and ends. */
export function startHistory() {
  const calls: Recorded[] = [];
  let lastMoment = 0;
  const nextMoment = () => ++lastMoment;

  async function record(
    operation: string,
    id: number | undefined,
    send: () => Promise<{ status: number; body: string }>,
  ): Promise<number> {
    const start = nextMoment();
    const { status, body } = await send();
    calls.push({ operation, id, status, body, arrivals: [start, nextMoment()], faults: [] });
    return status;
  }

  return {
    calls,
    /** Returns the recorded calls of an owner. Each returns its status. */
    of: ({ create, remove, list }: OwnerCalls) => ({
      create(id: number, variety: string) {
        const name = makeName(id, variety);
        return record(`create ${name}`, id, () => create(id, { name, tag: '' }));
      },
      delete: (id: number) => record('delete', id, () => remove(id)),
      list: () => record('list', undefined, list),
    }),
    /**
     * Returns the calls about a plant that no order explains, if any. The history must begin without
     * plants and end with a list.
     */
    violation(): string | undefined {
      for (const id of new Set(calls.map((call) => call.id))) {
        if (id === undefined) {
          continue;
        }
        const ofPlant = callsAbout(id, calls);
        const [plant] = parsePlants(ofPlant.at(-1)?.body ?? '');
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

/** Returns the calls about a plant. Lists are reduced to that plant. */
const callsAbout = (id: number, calls: Recorded[]): Recorded[] =>
  calls
    .filter((call) => call.id === id || call.id === undefined)
    .map((call) => {
      if (call.id === id || call.status !== 200) {
        return call;
      }
      const plants = parsePlants(call.body).filter(({ name }) => name.startsWith(makeName(id, '')));
      return { ...call, body: JSON.stringify(plants) };
    });

const parsePlants = (body: string) => JSON.parse(body) as { name: string }[];

const describe = ({ operation, status, body, arrivals, faults }: Recorded) =>
  `${arrivals.join(' to ')}: ${operation}: ${[status, ...faults].join(', ')} ${body}`;
