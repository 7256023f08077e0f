import type * as v from 'valibot';
import { environment } from '../contract/environment-variables.ts';
import { connect, prime } from '../database.ts';
import { required } from '../environment.ts';
import type { Reply } from '../http/answer.ts';
import type { InputSchema } from '../http/input.ts';
import { type Caller, operation } from '../http/operation.ts';
import { type PlantStore, plantStore } from './store.ts';

/**
 * Makes the Lambda function of an operation on plants: its handler, and `prime`, which start.mjs (lib/bundle.ts) calls
 * while Lambda initializes the function. `exercise` uses the store as the operation does.
 */
export function plantFunction<S extends InputSchema>(
  input: S,
  run: (plants: PlantStore) => (input: v.InferOutput<S>, caller: Caller) => Promise<Reply>,
  exercise: (plants: PlantStore) => Promise<unknown>,
) {
  const database = connect();
  const plants = plantStore(database, required(environment.plantsTable));
  return {
    handler: operation(input, run(plants)),
    prime: () => prime(database, () => exercise(plants)),
  };
}
