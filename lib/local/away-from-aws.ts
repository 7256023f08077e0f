import { devNull } from 'node:os';

// On a developer's machine, nothing reaches an AWS account.

/** The SDK cannot sign a request without a region and keys. The local database accepts any. */
export const localRegion = 'us-east-1';
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Variables that keep the SDK, and SAM CLI, away from the developer's AWS accounts. */
export const withoutAwsFiles = {
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
};

/**
 * Keeps this process away from the developer's AWS accounts, with the programs that it starts and
 * the code that a debugger runs.
 */
export function leaveAws(): void {
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) {
    delete process.env[name];
  }
  Object.assign(process.env, withoutAwsFiles);
}
