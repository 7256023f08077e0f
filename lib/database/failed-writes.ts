import { ClassicLevel } from 'classic-level';
import type { DatabaseAnswer, Engine } from './database-front.ts';

type Method = (this: unknown, ...args: unknown[]) => Promise<unknown>;

/**
 * Makes dynalite answer 500 if LevelDB fails, for example because the disk is full. dynalite
 * answers an error that has a status, and throws any other where nothing can catch it.
 */
export function answerFailures(): void {
  const methods = ClassicLevel.prototype as unknown as Record<string, Method>;
  for (const name of ['get', 'put', 'del']) {
    const method = methods[name] as Method;
    methods[name] = function (...args) {
      return method.apply(this, args).catch((error) => {
        const __type = 'com.amazonaws.dynamodb.v20120810#InternalServerError';
        const body = { __type, message: error.message };
        throw Object.assign(error, { statusCode: 500, body });
      });
    };
  }
}

const reads = /\.(BatchGet|Describe|Get|List|Query|Scan)/;

/**
 * Refuses all writes after one that failed. LevelDB could lose them, because an incomplete record
 * may stand before them in its file.
 */
export function refuseWritesOnceFailed(
  engine: Engine,
  onFailure: (message: string) => void,
): Engine {
  let failure: DatabaseAnswer | undefined;
  return async (request) => {
    const isWrite = !reads.test(`${request.headers['x-amz-target']}`);
    if (failure && isWrite) return failure;
    const answer = await engine(request);
    if (isWrite && answer.status === 500 && !failure) {
      failure = answer;
      const { message } = JSON.parse(`${answer.body}`);
      onFailure(
        `The database takes no more writes: ${message}. ` +
          'It keeps all that it has acknowledged. Make room on the disk, then start again.',
      );
    }
    return answer;
  };
}
