/**
 * Ends the process once its output cannot be written. It ends quietly if the reader is gone, as
 * `| head -1` is after a line, and otherwise with an error of one line: on a full disk, say.
 */
export function endOnClosedOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      process.exit();
    }
    console.error(`error: The output cannot be written: ${error.message}. Send it elsewhere.`);
    process.exit(1);
  });
}
