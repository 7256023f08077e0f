// Runs a program with Node 24.5 or later:
//   node bin/node24.mjs [Node's options] PROGRAM [its arguments]
// This file itself runs on older versions. node_modules/.bin/node is not used: some versions of npm
// do not link it, and others put it on the PATH before your own Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const { platform, arch, version, execPath } = process;
const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const packageJson = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
const { dependencies, devDependencies, optionalDependencies } = packageJson;

const isInstalled = (path) => existsSync(inProject(`node_modules/${path}`));
const findMissing = (packages = {}) => Object.keys(packages).find((name) => !isInstalled(name));

const nodePackage = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
const missing = findMissing(dependencies);
const missingInDevelopment = findMissing(devDependencies);
const node = findNode();

if (missing) {
  const option = process.env.NODE_ENV === 'production' ? ' --include=dev' : '';
  fail(`The package ${missing} is not installed. Run "npm ci${option}" first.`);
} else if (missingInDevelopment) {
  fail(
    `The package ${missingInDevelopment} is not installed. Run "npm ci --include=dev", which also ` +
      'installs packages that "--omit=dev" or NODE_ENV=production left out.',
  );
} else if (node) {
  run(node);
} else {
  failWithoutNode();
}

/** Returns the path of a Node that runs the code, or undefined. */
function findNode() {
  // The Node that runs npm is your own.
  const { npm_node_execpath: own = execPath } = process.env;
  if (own !== execPath && isRecent(spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout)) {
    return own;
  }
  if (isRecent(version)) {
    return execPath;
  }
  const file = `${nodePackage}/bin/${platform === 'win32' ? 'node.exe' : 'node'}`;
  return isInstalled(file) ? inProject(`node_modules/${file}`) : undefined;
}

/** Earlier versions of Node 24 lack `tls.setDefaultCACertificates` and the agents' `proxyEnv`. */
function isRecent(number) {
  const [major, minor] = `${number}`.slice(1).split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5);
}

function run(node) {
  const args = orderArguments(process.argv.slice(2));
  const program = spawn(node, args, {
    // The end of the channel tells the program that this process was killed.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Cached code saves a third of the time to start.
    env: {
      ...makeEnvironment(args),
      NODE_COMPILE_CACHE: inProject('node_modules/.cache/node'),
      npm_node_execpath: node,
    },
  });
  program.on('error', failWithoutNode);
  program.on('exit', (code, signal) => {
    if (signal === null) {
      process.exit(code);
    }
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });

  // On Windows, Ctrl-C reaches the program directly, and kill() would skip its cleanup.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      if (platform !== 'win32') {
        program.kill(signal);
      }
    });
  }

  if (process.env.npm_lifecycle_event) {
    // npm sends SIGTERM to its shell. Some shells (Debian's) exit without passing it on.
    const parent = process.ppid;
    const stopWithParent = () => {
      if (process.ppid !== parent || !isRunning(parent)) {
        program.kill('SIGTERM');
      }
    };
    setInterval(stopWithParent, 500).unref();
  }
}

/**
 * The programs that run functions get no variables for AWS: their debugger could read the variables
 * that a process was started with, even if it has deleted them.
 */
function makeEnvironment(args) {
  const isLocal = ['bin/start.ts', 'bin/sam.ts'].some((program) => args.includes(program));
  const isKept = ([name]) => !(isLocal && name.startsWith('AWS_'));
  return Object.fromEntries(Object.entries(process.env).filter(isKept));
}

/** On Windows, the id of the parent stays the same when the parent exits. */
function isRunning(processId) {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/**
 * Returns Node's arguments. Arguments of a program pass unchanged: a label or a file's name may
 * look like an option of Node.
 */
function orderArguments(args) {
  const index = args.findIndex((arg) => !arg.startsWith('-'));
  if (!args[index]?.startsWith('node_modules/')) {
    return args;
  }
  const program = args[index];
  const own = countOwnArguments(program);
  const added = args.slice(index + 1 + own);
  const debuggerOptions = [];
  // The first ones that you add are no values of other options.
  while (/^--inspect(-brk|-wait)?(=|$)/.test(added[0])) {
    debuggerOptions.push(added.shift());
  }
  const before = args.slice(0, index);
  return [...before, ...debuggerOptions, ...args.slice(index, index + 1 + own), ...added];
}

/** Returns how many arguments the npm script gives a program. npm puts yours behind them. */
function countOwnArguments(program) {
  const script = packageJson.scripts?.[process.env.npm_lifecycle_event] ?? '';
  const [, own] = script.split(`${program} `);
  return own ? own.split(' ').length : 0;
}

function failWithoutNode() {
  const isLeftOut = nodePackage in (optionalDependencies ?? {}) && !isInstalled(nodePackage);
  const remedy = isLeftOut
    ? `Run "npm ci --include=optional", which installs it as the package ${nodePackage}, even if ` +
      '"--omit=optional" left it out.'
    : 'Install Node 24 from https://nodejs.org.';
  fail(`The plant store needs Node 24.5 or later, but this is ${version}. ${remedy}`);
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = 1;
}
