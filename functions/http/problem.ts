import { type ProblemCode, problemMembers, problems } from '../shared/problems.ts';

/**
 * A fault of a request with its place: a JSON pointer (RFC 6901) into the body, or the name of a
 * parameter or header.
 */
export type Fault = { detail: string } & (
  | { pointer: string }
  | { parameter: string }
  | { header: string }
);

/** Thrown to answer with problem details. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly faults: Fault[];

  constructor(code: ProblemCode, faults: Fault[] = []) {
    super(problems[code].detail);
    this.code = code;
    this.faults = faults;
  }

  /** Returns the problem details (RFC 9457). `instance` is the request id. */
  toJson(instance: string): string {
    const { message: detail, faults } = this;
    const errors = faults.length > 0 ? faults : undefined;
    return JSON.stringify({ ...problemMembers(this.code), detail, instance, errors });
  }
}
