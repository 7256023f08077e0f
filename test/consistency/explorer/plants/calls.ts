import type { APIGatewayProxyResult } from 'aws-lambda';
import { type Operation, operations } from '../../../../functions/shared/operations.ts';
import { makeFields } from '../../../support/plant.ts';
import { operationEvent } from '../../../support/service/operation-event.ts';
import type { Run } from '../subject.ts';

const names = Object.keys(operations) as Operation[];

/** The operations whose requests have the fields of a plant. */
export const withContent = names.filter((name) => operationEvent(name).body !== null);

/** The calls of each operation, about the plant with the id 7: with content, there are two. */
export const calls = names.flatMap((name) =>
  withContent.includes(name) ? [`${name} Aloe`, `${name} Ficus`] : [name],
);

type Handler = (event: object, context: object) => Promise<unknown>;

const functions = new URL('../../../../functions/', import.meta.url);

/** Loads the functions. */
export async function load(): Promise<Run> {
  const handlers = new Map<string, Handler>();
  for (const name of names) {
    const { handler } = await import(new URL(`${operations[name].entry}.ts`, functions).href);
    handlers.set(name, handler);
  }
  return async (call) => {
    const [name, plantName] = call.split(' ') as [Operation, string?];
    const { body: example } = operationEvent(name);
    const body = JSON.stringify({ ...JSON.parse(`${example}`), ...makeFields(plantName) });
    const event = operationEvent(name, plantName ? { body } : {});
    const result = await handlers.get(name)?.(event, {});
    const { statusCode: status, body: response } = result as APIGatewayProxyResult;
    return { status, body: response };
  };
}
