import { openDatabase } from '../support/database/engine.ts';
import { loadFunctions } from '../support/service/functions.ts';

export const { endpoint, database } = await openDatabase();
export const { authorize, call, log } = await loadFunctions(endpoint);
