import { fstatSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { CommandError } from '../command-line/command-error.ts';

/**
 * Throws a CommandError if stdout is closed or discards everything. Node opens a closed stdout as
 * the null device.
 */
export function requireOutput(): void {
  const { fd } = process.stdout;
  // In Windows, the null device has no file number.
  if (process.platform !== 'win32' && fd !== undefined && fstatSync(fd).rdev === nullDevice()) {
    throw new CommandError(
      'Nothing was written, because standard output is closed or /dev/null, and the token would be ' +
        'lost. Redirect it elsewhere.',
    );
  }
}

const nullDevice = (): number => statSync(devNull).rdev;

/** Writes a line to stdout. Rejects if it cannot be written. */
export async function writeSecret(line: string): Promise<void> {
  // The program's own listener would exit without a word.
  process.stdout.removeAllListeners('error').on('error', () => {});
  const written = Promise.withResolvers<void>();
  process.stdout.write(`${line}\n`, (error) => (error ? written.reject(error) : written.resolve()));
  await written.promise;
}
