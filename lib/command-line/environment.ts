/**
 * Deletes empty variables, which the AWS CLI treats as not set. The SDK for JavaScript would take an
 * empty AWS_REGION for a region.
 */
export function deleteEmptyVariables(): void {
  for (const [name, value] of Object.entries(process.env)) {
    if (value === '') {
      delete process.env[name];
    }
  }
}
