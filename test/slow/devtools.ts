import { once } from 'node:events';
import { eventually } from '../support/eventually.ts';

type Json = Record<string, unknown>;

/** Sends a command. Resolves with its result. */
type Send = (method: string, params?: Json) => Promise<Json>;

/**
 * Attaches to a browser or a Node process by Chrome's DevTools protocol. It uses Node's own
 * WebSocket, because a library for this would be larger than the project. Returns what sends a
 * command and returns its result.
 */
export async function attach(
  url: string,
  onEvent: (method: string, params: ReturnType<typeof JSON.parse>) => void,
): Promise<Send> {
  const socket = new WebSocket(url);
  const answers = new Map<number, PromiseWithResolvers<Json>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data));
    if (error) {
      answers.get(id)?.reject(new Error(error.message));
    } else if (id) {
      answers.get(id)?.resolve(result);
    } else {
      onEvent(method, params);
    }
  });
  await eventually(`a connection to ${url}`, once(socket, 'open'));
  return (method, params = {}) => {
    const id = answers.size + 1;
    const answer = Promise.withResolvers<Json>();
    answers.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    return eventually(`an answer to ${method}`, answer.promise);
  };
}
