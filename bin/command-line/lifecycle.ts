import inspector from 'node:inspector';

/** The signals with which people end a program: Ctrl-C, `kill`, and a terminal that closes. */
export const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Part {
  stop(): Promise<void>;
}

/** Starts a part of the program, unless the program is ending. */
export type Start = <P extends Part>(part: () => P | Promise<P>) => Promise<P>;

/**
 * Runs a program of several parts. A signal, an error or the end of the launcher stops the parts,
 * last started first, and then ends the process. Errors are printed, and make its exit code 1.
 */
export async function lifecycle(run: (start: Start) => Promise<void>): Promise<void> {
  const parts: Promise<Part>[] = [];
  let ending: Promise<never> | undefined;

  // A terminal's Ctrl-C arrives several times, because npm and the launcher pass it on. Only the
  // first signal counts, so that the cleanup finishes.
  for (const signal of endingSignals) {
    process.on(signal, () => void end());
  }
  process.once('disconnect', () => void end());
  process.channel?.unref();
  // The reader of the output may be gone too, which must not interrupt the cleanup.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => undefined);
  }

  try {
    await run((part) => {
      if (ending) {
        return ending;
      }
      const started = Promise.resolve(part());
      parts.push(started);
      return started;
    });
  } catch (error) {
    await end(error);
  }

  function end(...errors: unknown[]): Promise<never> {
    ending ??= stop(new Set(errors));
    return ending;
  }

  async function stop(errors: Set<unknown>): Promise<never> {
    for (const part of parts.reverse()) {
      await part.then((started) => started.stop()).catch((error) => errors.add(error));
    }
    for (const error of errors) {
      console.error(`error: ${messageOf(error)}`);
    }
    return exit(errors.size > 0 ? 1 : 0);
  }
}

/**
 * Exits. With a debugger, `process.exit` would wait until it is detached, and for ever if it has
 * paused a thread, so that the process tells the launcher its exit code and kills itself.
 */
async function exit(code: number): Promise<never> {
  if (inspector.url() !== undefined && process.send) {
    process.emit('exit', code);
    await new Promise((resolve) => process.send?.(code, resolve));
    process.kill(process.pid, 'SIGKILL');
  }
  return process.exit(code);
}

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
