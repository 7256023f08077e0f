declare module 'dynalite' {
  import type { Server } from 'node:http';
  /** `path` is the folder of the files; undefined keeps data in memory. */
  export default function dynalite(options: {
    path: string | undefined;
    createTableMs: number;
    deleteTableMs?: number;
  }): Server;
}
