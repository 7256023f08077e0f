declare module 'dynalite' {
  import type { Server } from 'node:http';
  /**
   * `path` is the folder of its files; in memory if undefined. `createTableMs` is how long a new
   * table takes to become active.
   */
  export default function dynalite(options: {
    path: string | undefined;
    createTableMs: number;
    deleteTableMs?: number;
  }): Server;
}
