import { openDatabase } from '../support/database/engine.ts';
import { loadFunctions } from '../support/service/functions.ts';

// The suites share one test file, because a process loads the functions only once.

export const { endpoint, database } = await openDatabase();
export const { authorize, call, log } = await loadFunctions(endpoint);
