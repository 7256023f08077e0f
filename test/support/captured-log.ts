import { afterEach, beforeEach, jest } from '@jest/globals';

/** The lines that the functions logged during the current test. */
export const lines: unknown[] = [];

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
