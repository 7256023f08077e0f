import { leaveAws } from '../lib/local/away-from-aws.ts';
import { parseArguments, startCommand } from '../lib/local/options.ts';
import { start } from '../lib/local/start.ts';

// Signals stop the process at once: there is nothing to clean up, because the database has written
// all that it acknowledged. This process also stops if its launcher is killed.
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
leaveAws();
// Lambda's time zone.
process.env.TZ = 'UTC';

try {
  await start(parseArguments(startCommand()).opts());
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exit(1);
}
