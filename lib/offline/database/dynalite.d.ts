declare module 'dynalite' {
  import type { Server } from 'node:http';
  /**
   * `path` is the folder of its files; in memory if undefined. `createTableMs` is how long a new
   * table takes to become active, and `deleteTableMs` how long a deleted one takes to go.
   */
  export default function dynalite(options: {
    path: string | undefined;
    createTableMs: number;
    deleteTableMs: number;
  }): Server;
}

declare module 'dynalite/db/index.js' {
  /** Returns the rows that an item has in the indexes of its table. */
  export function getIndexActions(
    indexes: object[],
    existingItem: undefined,
    item: unknown,
    table: object,
  ): { puts: { index: string; key: string; item: unknown }[] };
}
