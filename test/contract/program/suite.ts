import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../support/project.ts';

/**
 * Runs the contract tests, except those with these words in their names, and returns the exit code.
 * A first signal to this program does not interrupt them, because they delete their plants at the
 * end. A later one does.
 */
export async function runSuite(
  environment: Record<string, string | undefined>,
  except: string[],
): Promise<number> {
  const options = ['--runInBand', 'test/contract/contract.test.ts'];
  if (except.length > 0) {
    const escaped = except.map((words) => words.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
    options.push(`--testNamePattern=^(?!.*(?:${escaped.join('|')}))`);
    console.log(`Left out are the tests with these words in their names: ${except.join('; ')}.`);
  }
  const suite = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join('node_modules', 'jest', 'bin', 'jest.js'),
      ...options,
    ],
    {
      cwd: root,
      env: { ...process.env, ...environment, TEST_VARIABLES: 'CONTRACT_' },
      stdio: 'inherit',
      // Use a separate process group, so that Ctrl-C reaches only this program.
      detached: process.platform !== 'win32',
    },
  );
  let first: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now();
        console.error(
          'The tests end first, so that they delete their plants. Once more ends them at once.',
        );
        // One Ctrl-C arrives several times, because npm and the launcher pass it on.
      } else if (performance.now() - first > 1000) suite.kill('SIGKILL');
    });
  const [code] = await once(suite, 'exit');
  return code ?? 1;
}
