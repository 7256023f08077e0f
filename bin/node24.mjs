// Runs a program with Node 24 or later:
//   node bin/node24.mjs [Node's options] PROGRAM [its arguments]
// This file itself runs on older versions. It does not rely on node_modules/.bin/node, because
// some versions of npm do not link it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { platform, arch, version } = process;
const system = `${platform === 'win32' ? 'win' : platform}-${arch}`;
const binary = platform === 'win32' ? 'bin/node.exe' : 'bin/node';
const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const installed = inProject(`node_modules/node-${system}/${binary}`);
const isNew = Number.parseInt(version.slice(1), 10) >= 24;

if (isNew || existsSync(installed)) run(isNew ? process.execPath : installed);
else refuse();

function run(node) {
  const program = spawn(node, process.argv.slice(2), {
    // The program sees by the channel's end that this process was killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Node keeps compiled code there, which saves a third of the time to start.
    env: { ...process.env, NODE_COMPILE_CACHE: inProject('node_modules/.cache/node') },
  });
  program.on('error', refuse);
  program.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      // On Windows, Ctrl-C reaches the program by itself, and kill() would not let it clean up.
      if (platform !== 'win32') program.kill(signal);
    });
  }

  if (process.env.npm_lifecycle_event) {
    // npm passes SIGTERM to its shell, and some shells (Debian's) end without passing it on.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && program.kill('SIGTERM'), 500).unref();
  }
}

function refuse() {
  console.error(
    `error: The plant store needs Node 24 or later, and this is ${version}. Run "npm ci", which ` +
      `brings Node 24 on most systems. If this line stays, get Node 24 from https://nodejs.org.`,
  );
  process.exitCode = 1;
}
