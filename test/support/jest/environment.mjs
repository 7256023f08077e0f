import { runInThisContext } from 'node:vm';

// Gives tests the same environment in every shell: no colors, no AWS account, no proxy, English and
// UTC. Only the variables named here stay, and those with the prefix in TEST_VARIABLES.

const names = new Set(
  `PATH HOME SHELL TMPDIR JAVA_HOME JAVA_TOOL_OPTIONS JEST_WORKER_ID
  NODE_COMPILE_CACHE
  APPDATA COMSPEC LOCALAPPDATA PATHEXT SYSTEMDRIVE SYSTEMROOT TEMP TMP USERPROFILE WINDIR
  DOCKER_CONFIG DOCKER_CONTEXT DOCKER_HOST SAM_CLI_TELEMETRY SAM_SKIP_PULL_IMAGE
  ENGINE REPLAY TEST_VARIABLES THOROUGH __STRYKER_ACTIVE_MUTANT__`.split(/\s+/),
);
const nowhere = process.platform === 'win32' ? 'NUL' : '/dev/null';
const fixed = {
  LANG: 'C.UTF-8',
  NO_COLOR: '1',
  TZ: 'UTC',
  AWS_CONFIG_FILE: nowhere,
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_SHARED_CREDENTIALS_FILE: nowhere,
};

// Jest gives tests a copy of the process object. Node and its child processes use the original.
for (const { argv, env } of [process, runInThisContext('process')]) {
  // Jest sets FORCE_COLOR for its workers. Without it, their reports would lose their colors.
  if (env.FORCE_COLOR === '1') {
    argv.push('--color');
  }
  const { TEST_VARIABLES: prefix } = env;
  for (const name of Object.keys(env)) {
    if (!names.has(name.toUpperCase()) && !(prefix && name.startsWith(prefix))) {
      delete env[name];
    }
  }
  Object.assign(env, fixed);
}
