import { Agent } from 'node:http';
import { operations } from '../../../functions/shared/operations.ts';
import { type HttpResponse, send } from '../http/http-client.ts';
import { type Call, loadFunctions, pathOf, requireDescribed } from './functions.ts';
import { type Service, type ServiceOptions, startService } from './service.ts';

interface Options extends ServiceOptions {
  /** Whether calls are made at the same time, so that the CPU time of one is unknown. */
  atOnce?: boolean;
}

export interface CallableService extends Service {
  /**
   * Calls an operation, over HTTP or in this process. Throws if docs/openapi.json does not describe
   * the response, or if it is a 5xx. `canBeBusy` allows 503.
   */
  call(request: Call, isOverHttp?: boolean, canBeBusy?: boolean): Promise<HttpResponse>;
}

/** Starts the service, and loads its functions into this process too. */
export async function startCallableService({
  atOnce = false,
  ...options
}: Options = {}): Promise<CallableService> {
  const service = await startService(options);
  const functions = await loadFunctions(service.databaseEndpoint, { atOnce });
  const tokens = new Map<string, Promise<string>>();
  const agent = new Agent({ keepAlive: true });

  async function callGateway(request: Call, canBeBusy?: boolean): Promise<HttpResponse> {
    const { operation, owner, headers = [], body, query = [], path } = request;
    if (!tokens.has(owner)) {
      tokens.set(owner, service.issue(owner));
    }
    const search = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
    const sent = {
      method: operations[operation].method,
      path: `${pathOf(operation, path)}${search}`,
      headers: ['Authorization', `Bearer ${await tokens.get(owner)}`, ...headers.flat()],
      body,
    };
    const response = await send(service.baseUrl, sent, agent);
    requireDescribed(operation, response, service.log, canBeBusy);
    return response;
  }

  return {
    ...service,
    call: (request, isOverHttp = false, canBeBusy = false) =>
      (isOverHttp ? callGateway : functions.call)(request, canBeBusy),
    stop() {
      // The service searches its log for secrets.
      service.log.push(...functions.log);
      return service.stop().finally(() => agent.destroy());
    },
  };
}
