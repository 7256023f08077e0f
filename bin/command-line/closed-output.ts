/**
 * Ends the process quietly once the reader of its output is gone, as `| head -1` is after a line.
 * Otherwise Node prints the stack of an EPIPE.
 */
export function endOnClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') {
      throw error;
    }
    process.exit();
  });
}
