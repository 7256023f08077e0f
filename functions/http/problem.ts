import { type ProblemCode, problemMembers, problems } from '../contract/problems.ts';

/** One fault of a request, and where it is: a JSON pointer (RFC 6901) into the body, or the name of a parameter or header. */
export type Fault = { detail: string } & (
  | { pointer: string }
  | { parameter: string }
  | { header: string }
);

/** Thrown to answer with a problem of the contract instead of a result. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ProblemCode;
  readonly faults: Fault[];

  constructor(code: ProblemCode, faults: Fault[] = []) {
    super(problems[code].detail);
    this.code = code;
    this.faults = faults;
  }

  get status(): number {
    return problems[this.code].status;
  }

  /** The problem details (RFC 9457); `instance` is the request's id. */
  toJson(instance: string): string {
    const errors = this.faults.length > 0 && { errors: this.faults };
    return JSON.stringify({
      ...problemMembers(this.code),
      detail: this.message,
      instance,
      ...errors,
    });
  }
}
