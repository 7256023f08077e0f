import { leaveAws } from '../lib/local/away-from-aws.ts';
import { parseArguments, samCommand } from '../lib/local/options.ts';
import { startSam } from '../lib/local/sam/sam.ts';

// SAM CLI would call AWS with the developer's credentials, and pass them to containers.
leaveAws();

try {
  const command = parseArguments(samCommand());
  await startSam(command.opts(), command.args);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exit(1);
}
