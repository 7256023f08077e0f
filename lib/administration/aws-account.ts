import { readFileSync } from 'node:fs';
import { setDefaultCACertificates } from 'node:tls';
import { fromEnv } from '@aws-sdk/credential-provider-env';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { parseKnownFiles } from '@smithy/core/config';
import { CommandError } from '../command-line/command-error.ts';
import { resolvePath } from '../command-line/paths.ts';
import { checkAwsVariables } from './aws-variables.ts';
import { readFirstLine } from './lines.ts';

/** Options of the SDK's clients. */
export interface AwsAccount {
  /** The profile for all other settings. */
  profile?: string;
  region: string;
  credentials: ReturnType<typeof defaultProvider>;
  requestHandler: object;
}

/**
 * Chooses the account as the AWS CLI and CDK do: the profile in the options, keys in the
 * environment, AWS_PROFILE, AWS_DEFAULT_PROFILE. The SDK would prefer AWS_PROFILE to the keys.
 * Throws a CommandError if a setting is invalid. Makes the process trust the certificates that the
 * AWS CLI trusts.
 */
export async function chooseAccount(
  options: { profile?: string; region?: string },
  requestHandler: object,
): Promise<{ account: AwsAccount; caBundle?: string }> {
  checkAwsVariables();
  const { env } = process;
  const source = ['AWS_PROFILE', 'AWS_DEFAULT_PROFILE'].find((name) => env[name]);
  const profile = options.profile ?? (source && env[source]);
  const profiles = await parseKnownFiles({ ignoreCache: true });
  if (profile !== undefined && !profiles[profile]) {
    const from = options.profile === undefined ? `, which ${source} names` : '';
    throw new CommandError(
      `There is no AWS profile ${profile}${from}. Choose another with --profile.`,
    );
  }
  const region = requireRegion([
    ['--region', options.region],
    ['AWS_REGION', env.AWS_REGION],
    ['AWS_DEFAULT_REGION', env.AWS_DEFAULT_REGION],
    [`the AWS profile ${profile ?? 'default'}`, profiles[profile ?? 'default']?.region],
  ]);
  const bundle = env.AWS_CA_BUNDLE ?? profiles[profile ?? 'default']?.ca_bundle;
  const caBundle = bundle && resolvePath(bundle);
  if (caBundle) {
    trustOnly(caBundle);
  }
  const named = profile === undefined ? {} : { profile };
  const hasKeys = Boolean(env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY);
  const credentials =
    hasKeys && options.profile === undefined
      ? fromEnv()
      : defaultProvider({
          ...named,
          mfaCodeProvider: (device) => askForMfaCode(device, profile),
          logger: silent,
          // Otherwise a log-in by SSO would use no proxy.
          clientConfig: { requestHandler },
        });
  const account = { ...named, region, credentials, requestHandler };
  return { account, ...(caBundle && { caBundle }) };
}

/** Returns the first region. Throws a CommandError if there is none, or if no host can have it. */
function requireRegion(sources: [name: string, region: string | undefined][]): string {
  const [source, region] = sources.find(([, value]) => value !== undefined) ?? [];
  if (region === undefined) {
    throw new CommandError('No AWS region given. Use --region.');
  }
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(region)) {
    throw new CommandError(
      `${source} is "${region}", which is no AWS region. A region looks like eu-central-1.`,
    );
  }
  return region;
}

/** Otherwise the SDK would warn of keys in the environment beside a chosen profile. */
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Makes TLS connections trust the certificates in a file, and no others. */
function trustOnly(bundle: string): void {
  try {
    setDefaultCACertificates([readFileSync(bundle)]);
  } catch (error) {
    throw new CommandError(
      `Cannot use the CA bundle ${bundle}: ${(error as Error).message}. Correct AWS_CA_BUNDLE, or ` +
        'ca_bundle of the AWS profile.',
    );
  }
}

async function askForMfaCode(device: string, profile = 'default'): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CommandError(
      `The AWS profile ${profile} needs a code of ${device}, but there is no terminal to type it. ` +
        `Run: eval "$(aws configure export-credentials --profile ${profile} --format env)", then ` +
        'the command without --profile.',
    );
  }
  process.stderr.write(`Code of ${device}: `);
  return readFirstLine();
}
