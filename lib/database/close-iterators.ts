import { ClassicLevel } from 'classic-level';

type Iterate = (this: unknown, options: unknown) => { close(): Promise<void> };

/**
 * Makes dynalite close its iterators. It calls their method `return`, which they lack, so each
 * query would hold memory until the database stops.
 */
export function closeIterators(): void {
  // The prototype of the engine in memory too.
  const methods: Record<string, Iterate> = Object.getPrototypeOf(ClassicLevel.prototype);
  for (const name of ['keys', 'values']) {
    const method = methods[name] as Iterate;
    methods[name] = function (options) {
      const iterator = method.call(this, options);
      return Object.assign(iterator, { return: () => iterator.close() });
    };
  }
}
