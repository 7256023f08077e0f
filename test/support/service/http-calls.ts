import { Agent } from 'node:http';
import { operations } from '../../../functions/shared/operations.ts';
import { finallyDo } from '../cleanup.ts';
import { send } from '../http/http-client.ts';
import { type Functions, pathOf, requireDescribed } from './functions.ts';
import type { Service } from './service.ts';

/** Returns a function that calls a service over HTTP, with an access token for each owner. */
export function callsOverHttp({ baseUrl, issue, log }: Service): Functions['call'] {
  const tokens = new Map<string, Promise<string>>();
  const agent = new Agent({ keepAlive: true });
  finallyDo(() => agent.destroy());

  return async ({ operation, owner, headers = [], body, query = [], path }, canBeBusy) => {
    if (!tokens.has(owner)) {
      tokens.set(owner, issue(owner));
    }
    const search = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
    const request = {
      method: operations[operation].method,
      path: `${pathOf(operation, path)}${search}`,
      headers: ['Authorization', `Bearer ${await tokens.get(owner)}`, ...headers.flat()],
      body,
    };
    const response = await send(baseUrl, request, agent);
    requireDescribed(operation, response, log, canBeBusy);
    return response;
  };
}
