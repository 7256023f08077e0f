declare module 'dynalite' {
  import type { Server } from 'node:http';
  /** `path` is the folder of the files; undefined keeps data in memory. */
  export default function dynalite(options: {
    path: string | undefined;
    createTableMs: number;
    deleteTableMs?: number;
  }): Server;
}

declare module 'dynalite/db/index.js' {
  interface Request {
    ReturnValuesOnConditionCheckFailure?: string;
  }
  /** Returns an error if the condition of a request does not hold. Called in the item's lock. */
  const db: {
    checkConditional(
      request: Request,
      storedItem: object | undefined,
    ): { body: { Item?: object | undefined } } | null | undefined;
  };
  export default db;
}

declare module 'dynalite/validations/putItem.js' {
  /** The parameters of a command. Others are dropped. */
  const putItem: { types: Record<string, object> };
  export default putItem;
}
