// Runs a program with Node 24 or later:
//   node bin/node24.mjs [Node's options] PROGRAM [its arguments]
// The options of Node's debugger may stand among the arguments, where npm puts what people add.
// This file itself runs on older versions. It does not rely on node_modules/.bin/node, because
// some versions of npm do not link it. Others put it first on the PATH, before your own Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { platform, arch, version, execPath } = process;
const inProject = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const packageJson = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
const { dependencies, devDependencies, optionalDependencies } = packageJson;

// In a workspace, npm installs packages into a folder above the project.
const packageFolders = createRequire(import.meta.url).resolve.paths('any-package');
const find = (path) => packageFolders.map((folder) => join(folder, path)).find(existsSync);
const findMissing = (packages = {}) => Object.keys(packages).find((name) => !find(name));

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
      'brings what "--omit=dev" or NODE_ENV=production left out.',
  );
} else if (node) {
  run(node);
} else {
  failWithoutNode();
}

/** Returns the path of a Node that is new enough, or undefined. */
function findNode() {
  const isNew = (number) => Number.parseInt(`${number}`.slice(1), 10) >= 24;
  // npm runs on your own Node.
  const { npm_node_execpath: own = execPath } = process.env;
  if (own !== execPath && isNew(spawnSync(own, ['--version'], { encoding: 'utf8' }).stdout)) {
    return own;
  }
  if (isNew(version)) {
    return execPath;
  }
  return find(`${nodePackage}/bin/${platform === 'win32' ? 'node.exe' : 'node'}`);
}

function run(node) {
  const args = process.argv.slice(2).map(inPackageFolder);
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
  program.on('error', failWithoutNode);
  program.on('exit', (code, signal) => {
    if (signal === null) {
      process.exit(code);
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

/** Returns where a program of a package is, like node_modules/jest/bin/jest.js. */
function inPackageFolder(arg) {
  const [, path] = /^node_modules\/(.*)/.exec(arg) ?? [];
  return (path && find(path)) ?? arg;
}

function failWithoutNode() {
  const isLeftOut = nodePackage in (optionalDependencies ?? {}) && !find(nodePackage);
  const remedy = isLeftOut
    ? `Run "npm ci --include=optional", which brings it as the package ${nodePackage}, also if ` +
      '"--omit=optional" left that out.'
    : 'Get Node 24 from https://nodejs.org.';
  fail(`The plant store needs Node 24 or later, and this is ${version}. ${remedy}`);
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = 1;
}
