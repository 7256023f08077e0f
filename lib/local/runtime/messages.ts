// Messages between the gateway and the functions' thread.

export interface FunctionCall {
  id: number;
  /** The name of the function's file, without `.ts`. */
  entry: string;
  event: object;
  timeoutMs: number;
}

export interface Failure {
  message: string;
  stack: string;
}

export interface LoggedLine {
  id: number;
  /** As JSON, with a code. */
  line: string;
}

/** The end of a call: the function's result as JSON, or a failure. */
export interface CallResult {
  id: number;
  payload?: string | undefined;
  failure?: Failure | undefined;
}

export type ThreadMessage = 'loaded' | LoggedLine | CallResult;
