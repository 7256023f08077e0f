import { type ProblemCode, problemDetails, problems } from '../shared/problems.ts';

/**
 * An error in a request, with its place: a JSON pointer (RFC 6901) into the body, or the name of a
 * parameter or header.
 */
export type InputError = { detail: string } & (
  | { pointer: string }
  | { parameter: string }
  | { header: string }
);

/** An error that becomes a problem response. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly errors: InputError[];

  constructor(code: ProblemCode, errors: InputError[] = []) {
    super(problems[code].detail);
    this.code = code;
    this.errors = errors;
  }

  /** Returns the problem details (RFC 9457). `instance` is the request id. */
  toJson(instance: string): object {
    const { code, errors } = this;
    return { ...problemDetails(code, instance), ...(errors.length > 0 && { errors }) };
  }
}
