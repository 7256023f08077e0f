import { resolve } from 'node:path';

/** Resolves a path that a person wrote. npm changes to the project's folder. */
export const resolvePath = (path: string): string => resolve(process.env.INIT_CWD ?? '', path);
