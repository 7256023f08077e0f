import { send } from '../../../support/http/http-client.ts';
import type { Request } from './requests.ts';

/** An answer's parts by name: `status`, `body`, and each header by its name in lower case. */
export type Answer = Record<string, string>;

/** Returns the answer to a request, without what belongs to the connection and the time of day. */
export async function answerTo(
  baseUrl: string,
  tokens: Record<string, string>,
  { method, path, as, headers = [], body }: Request,
): Promise<Answer> {
  const authorization = as ? ['Authorization', `Bearer ${tokens[as]}`] : [];
  const sent = { method, path, headers: [...headers.flat(), ...authorization], body };
  const answer = await send(baseUrl, sent);
  const {
    date,
    connection,
    'keep-alive': _,
    'transfer-encoding': __,
    ...more
  } = answer.headers as Answer;
  return { status: `${answer.status}`, ...more, body: answer.body };
}
