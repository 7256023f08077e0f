import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect } from '@jest/globals';
import { temporaryFolder } from '../support/cleanup.ts';
import { testOnPosix } from '../support/posix.ts';
import { runProcess } from '../support/programs/run.ts';

/** Programs that fail. Without `id`, no step installs packages of Debian or starts a daemon. */
const broken = ['docker', 'id', 'python3', ...[11, 12, 13, 14].map((minor) => `python3.${minor}`)];

testOnPosix('it has no Bash of its own').each([
  { step: 'deploy', CI: 'true', code: 1, line: /^!!! NOT DEPLOYED: .*Python/m },
  { step: 'deploy', CI: '', code: 0, line: /^!!! NOT DEPLOYED: .*Python/m },
  { step: 'sam', CI: 'true', code: 1, line: /^!!! NOT RUN IN SAM LOCAL: there is no Docker/m },
  { step: 'sam', CI: '', code: 0, line: /^!!! NOT RUN IN SAM LOCAL: there is no Docker/m },
])('without its tools, and with CI="$CI", .ci/steps/$step exits with $code', async (row) => {
  const { step, CI, code, line } = row;
  const folder = temporaryFolder();
  for (const name of broken) {
    writeFileSync(join(folder, name), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  }
  const PATH = `${folder}${delimiter}${process.env.PATH}`;
  const env = { CI, PATH, HOME: folder, PLANT_STORE_TOOLS: folder, TMPDIR: folder };
  const ended = await runProcess('bash', [`.ci/steps/${step}`], { env });
  expect(ended.stderr).toMatch(line);
  expect(ended.code).toBe(code);
});
