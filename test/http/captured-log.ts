import { afterEach, beforeEach, jest } from '@jest/globals';

/** Returns the lines that the functions log during the current test. */
export function capturedLog(): unknown[] {
  const lines: unknown[] = [];
  function keep(line: unknown): void {
    lines.push(line);
  }
  beforeEach(() => {
    lines.length = 0;
    jest.spyOn(console, 'info').mockImplementation(keep);
    jest.spyOn(console, 'error').mockImplementation(keep);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  return lines;
}
