interface CallFrame {
  callFrameId: string;
  location: { lineNumber: number; columnNumber: number };
}

export interface Inspector {
  /**
   * Sends a command of the Chrome DevTools Protocol and returns its result. Rejects with its error.
   */
  send(method: string, params?: object): Promise<Record<string, unknown>>;
  /** The innermost frame of the next stop. */
  paused(): Promise<CallFrame>;
}

/** Attaches to the debugger of a Node process, by the protocol that VS Code and Chrome speak. */
export async function attach(port: number): Promise<Inspector> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const answers = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  let tellPaused: ((frame: CallFrame) => void) | undefined;
  socket.onmessage = ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(data);
    if (error) answers.get(id)?.reject(new Error(error.message));
    else if (id) answers.get(id)?.resolve(result);
    if (method === 'Debugger.paused') tellPaused?.(params.callFrames[0]);
  };
  return {
    send(method, params = {}) {
      const id = answers.size + 1;
      const answer = Promise.withResolvers<Record<string, unknown>>();
      answers.set(id, answer);
      socket.send(JSON.stringify({ id, method, params }));
      return answer.promise;
    },
    paused: () =>
      new Promise((resolve) => {
        tellPaused = resolve;
      }),
  };
}
