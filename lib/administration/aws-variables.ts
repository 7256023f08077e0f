import { CommandError } from '../command-line/command-error.ts';

/** The SDK would reject other values without the variable's name. */
const forms: [variables: RegExp, form: RegExp, description: string][] = [
  [
    /^AWS_(ENDPOINT_URL.*|CONTAINER_CREDENTIALS_FULL_URI|EC2_METADATA_SERVICE_ENDPOINT)$/,
    /^https?:\/\/\S+$/,
    'an address like http://127.0.0.1:4566',
  ],
  [/^AWS_CONTAINER_CREDENTIALS_RELATIVE_URI$/, /^\/\S*$/, 'a path like /v2/credentials'],
  [/^AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN)$/, /^[!-~]+$/, 'one word in ASCII'],
  [
    /^AWS_DEFAULTS_MODE$/,
    /^(auto|cross-region|in-region|legacy|mobile|standard)$/,
    'a mode like standard',
  ],
];

/** Throws a CommandError if a variable of the SDK is invalid. Does not quote it: some are secret. */
export function checkAwsVariables(): void {
  for (const [name, value = ''] of Object.entries(process.env)) {
    const [, form, description] = forms.find(([variables]) => variables.test(name)) ?? [];
    if (form?.test(value) === false) {
      throw new CommandError(`${name} is not ${description}. Correct it.`);
    }
  }
}
