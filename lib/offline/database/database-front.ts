import type { RequestListener } from 'node:http';
import { endUnread, readBody } from '../http/connections.ts';
import type { Template } from '../template/template.ts';
import { tablesKey } from './database-client.ts';
import type { DatabaseAnswer, DatabaseRequest, Engine } from './engine.ts';
import { credentialOf, otherService, refuseService } from './other-services.ts';
import { type Judge, readPermissions } from './permissions.ts';

/** A command of a function, once it has been answered. */
export interface FunctionCall {
  functionName: string;
  /** The trace of the request that the function serves. */
  traceId: string | undefined;
  /** As IAM spells it, like `dynamodb:Query`. */
  action: string;
  tables: string[];
  /** What DynamoDB would charge. */
  units: Units;
  /** IAM's reason, if it refused the command. */
  denied: string | undefined;
}

interface Units {
  reads: number;
  writes: number;
}

export interface DatabaseFront {
  listener: RequestListener;
  /**
   * Lets each function of a template do what its role allows, and nothing else, from now on.
   * A function's access key is its logical id. Any other key is an administrator's.
   */
  enforce(template: Template): void;
  /** Does work on the tables once the calls in progress have ended. Calls that follow wait. */
  exclusively(work: () => Promise<void>): Promise<void>;
}

/** What IAM and the count of units need to know of a command. */
interface Command {
  action: string;
  tables: string[];
  asksForUnits: boolean;
  isConsistent: boolean;
}

/**
 * The largest request that DynamoDB takes.
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
 */
const maxRequestBytes = 16 * 1024 * 1024;

/** The commands whose units the front counts. */
const countedReads = /:(GetItem|Query|Scan)$/;
const countedWrites = /:(Delete|Put|Update)Item$/;

/**
 * Stands in front of a DynamoDB engine, which would let everyone do everything. The front turns web
 * pages away, because any page in the developer's browser could read and write, and it enforces the
 * functions' roles.
 */
export function databaseFront(
  engine: Engine,
  onCall: (call: FunctionCall) => void = () => {},
  onRefusal: (message: string) => void = () => {},
): DatabaseFront {
  // Functions of an earlier template may still have work to finish, so their permissions stay.
  const judges = new Map<string, Judge>();
  const inProgress = new Set<Promise<unknown>>();
  let exclusive: Promise<void> | undefined;

  async function answer(whole: DatabaseRequest): Promise<DatabaseAnswer> {
    const { headers } = whole;
    if (headers.origin !== undefined) {
      return { status: 403, headers: {}, body: 'The database does not answer web pages.' };
    }
    // The path of a function's endpoint is its name, for requests that are not signed.
    const [, first = '', path = '/'] = /^\/(\w+)(\/.*)?$/.exec(whole.url ?? '') ?? [];
    const request = judges.has(first) ? { ...whole, url: path } : whole;
    const { accessKey } = credentialOf(request);
    const functionName = [accessKey, first].find((name) => judges.has(name)) ?? '';
    const other = otherService(request);
    if (other) {
      const message =
        `${functionName || 'A program'} called ${other.name}, which does not run here. ` +
        `Set ${other.variable} in the function's environment to the URL of a server of your own. ` +
        'See docs/imitates.md.';
      onRefusal(message);
      return refuseService(request, other, message);
    }
    const judge = judges.get(functionName);
    while (exclusive && accessKey !== tablesKey) {
      await exclusive;
    }
    const answering = judge ? judged(request, functionName, judge) : engine(request);
    inProgress.add(answering);
    return answering.finally(() => inProgress.delete(answering));
  }

  /** Answers a function's command, if its role allows it, and tells of it. */
  async function judged(
    request: DatabaseRequest,
    functionName: string,
    judge: Judge,
  ): Promise<DatabaseAnswer> {
    const { headers, body } = request;
    const command = readCommand(headers['x-amz-target'], body);
    if (!command) {
      return refusal('SerializationException');
    }
    const { action, tables } = command;
    const denied = judge(action, tables);
    const answered =
      denied === undefined
        ? await engine(withUnits(request, command))
        : refusal('AccessDeniedException', denied);
    const traceId = headers['x-amzn-trace-id']?.toString();
    const units = unitsOf(answered, command);
    onCall({ functionName, traceId, action, tables, units, denied });
    return answered;
  }

  const listener: RequestListener = async (request, response) => {
    try {
      const body = await readBody(request, maxRequestBytes);
      if (body.length > maxRequestBytes) {
        response.statusCode = 413;
        endUnread(response, '');
        return;
      }
      const { method, url, headers } = request;
      const answered = await answer({ method, url, headers, body });
      response.writeHead(answered.status, answered.headers).end(answered.body);
    } catch {
      // The client went away, or the engine did.
      response.destroy();
    }
  };
  return {
    listener,

    enforce(template) {
      for (const [functionName, judge] of readPermissions(template)) {
        judges.set(functionName, judge);
      }
    },

    exclusively(work) {
      const done = Promise.allSettled(inProgress)
        .then(work)
        .finally(() => {
          exclusive = undefined;
        });
      exclusive = done.catch(() => {});
      return done;
    },
  };
}

/** Returns what IAM needs to know of a command, or undefined if its body is not JSON. */
function readCommand(target: unknown, body: Buffer): Command | undefined {
  try {
    const { TableName, IndexName, RequestItems = {}, ...more } = JSON.parse(`${body}`);
    const resource = IndexName === undefined ? TableName : `${TableName}/index/${IndexName}`;
    return {
      action: `dynamodb:${String(target).split('.')[1]}`,
      tables: TableName === undefined ? Object.keys(RequestItems) : [`${resource}`],
      asksForUnits: more.ReturnConsumedCapacity !== undefined,
      isConsistent: more.ConsistentRead === true,
    };
  } catch {
    return undefined;
  }
}

/** Returns DynamoDB's own error, which spells one member with a capital. */
const refusal = (type: string, Message?: string): DatabaseAnswer => ({
  status: 400,
  headers: { 'Content-Type': 'application/x-amz-json-1.0' },
  body: JSON.stringify({ __type: `com.amazon.coral.service#${type}`, Message }),
});

/** Asks for the consumed capacity. The SDK ignores the answer's extra member. */
function withUnits(request: DatabaseRequest, command: Command): DatabaseRequest {
  const isCounted = countedReads.test(command.action) || countedWrites.test(command.action);
  if (!isCounted || command.asksForUnits) {
    return request;
  }
  const body = `${request.body}`.replace('{', '{"ReturnConsumedCapacity":"TOTAL",');
  return { ...request, body: Buffer.from(body) };
}

/** Returns what DynamoDB would charge for a command that was answered so. */
function unitsOf(answer: DatabaseAnswer, { action, isConsistent }: Command): Units {
  if (countedReads.test(action)) {
    return { reads: consumed(answer, isConsistent ? 1 : 0.5), writes: 0 };
  }
  if (countedWrites.test(action)) {
    return { reads: 0, writes: consumed(answer, 1) };
  }
  return { reads: 0, writes: 0 };
}

/**
 * Returns consumed units. A write with a failed condition is charged. An empty query is charged,
 * though dynalite reports 0.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html
 */
function consumed({ status, body }: DatabaseAnswer, least: number): number {
  if (status !== 200) {
    return body.includes('#ConditionalCheckFailedException"') ? 1 : 0;
  }
  const text = body.toString();
  // A stored text cannot look like this, because JSON escapes its quotes.
  const at = text.lastIndexOf('"ConsumedCapacity":{');
  const units = Number(/^[^}]*"CapacityUnits":([\d.]+)/.exec(text.slice(at))?.[1] ?? 0);
  return Math.max(units, least);
}
