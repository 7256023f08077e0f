import { CommandError } from '../command-line/command-error.ts';

/** Returns the proxy of the AWS CLI and CDK, in variables as Node's agents read them. */
export function readProxyVariables({ env } = process): Record<string, string> {
  const name = env.https_proxy === undefined ? 'HTTPS_PROXY' : 'https_proxy';
  const proxy = env[name];
  if (proxy === undefined) {
    return {};
  }
  // The AWS CLI accepts an address without a scheme.
  const url = proxy.includes('://') ? proxy : `http://${proxy}`;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    // Do not quote the value, because it may contain a password.
    throw new CommandError(`${name} is not an address like http://proxy.example:3128. Correct it.`);
  }
  return { https_proxy: url, no_proxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}
