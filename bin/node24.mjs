// Runs a program with Node 24 or later:
//   node bin/node24.mjs [Node's options] PROGRAM [its arguments]
// The options of Node's debugger may stand among the arguments, where npm puts what people add.
// This file itself runs on older versions. It does not rely on node_modules/.bin/node, because
// some versions of npm do not link it. Others put it first on the PATH, before your own Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { platform, arch, version, execPath } = process;
const system = `${platform === 'win32' ? 'win' : platform}-${arch}`;
const binary = platform === 'win32' ? 'bin/node.exe' : 'bin/node';
const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const installed = inProject(`node_modules/node-${system}/${binary}`);
// npm runs on your own Node.
const { npm_node_execpath: own = execPath } = process.env;
const isNew = (number) => Number.parseInt(`${number}`.slice(1), 10) >= 24;

if (own !== execPath && isNew(spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout)) {
  run(own);
} else if (isNew(version)) {
  run(execPath);
} else if (existsSync(installed)) {
  run(installed);
} else {
  refuse();
}

function run(node) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(inProject('package.json')));
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    if (!existsSync(inProject(`node_modules/${name}`))) {
      return fail(`The package ${name} is not installed. Run "npm ci" first.`);
    }
  }

  const args = process.argv.slice(2);
  const isOfDebugger = (arg) => /^--inspect(-brk|-wait)?(=|$)/.test(arg);
  const others = args.filter((arg) => !isOfDebugger(arg));
  const program = spawn(node, [...args.filter(isOfDebugger), ...others], {
    // The program sees by the channel's end that this process was killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Node keeps compiled code there, which saves a third of the time to start.
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: inProject('node_modules/.cache/node'),
      npm_node_execpath: node,
    },
  });
  program.on('error', refuse);
  /** The exit code of a program that a debugger keeps from exiting, so that it kills itself. */
  let ownCode;
  program.on('message', (code) => {
    ownCode = code;
  });
  program.on('exit', (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    if (ownCode !== undefined) {
      process.exit(ownCode);
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });

  // On Windows, Ctrl-C reaches the program by itself, and kill() would not let it clean up.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      if (platform !== 'win32') {
        program.kill(signal);
      }
      // A program that is paused itself gets no signal.
      if (others.length < args.length) {
        setTimeout(() => program.kill('SIGKILL'), 15_000).unref();
      }
    });
  }

  if (process.env.npm_lifecycle_event) {
    // npm passes SIGTERM to its shell, and some shells (Debian's) end without passing it on.
    const parent = process.ppid;
    const endWithParent = () => {
      if (process.ppid !== parent) {
        program.kill('SIGTERM');
      }
    };
    setInterval(endWithParent, 500).unref();
  }
}

function refuse() {
  fail(
    `The plant store needs Node 24 or later, and this is ${version}. Run "npm ci", which ` +
      `brings Node 24 on most systems. If this line stays, get Node 24 from https://nodejs.org.`,
  );
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = 1;
}
