/**
 * Whether an API treats content of a media type (the value of Content-Type, or of Accept, whose first counts) as binary.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-payload-encodings-workflow.html
 */
export function isBinary(value = '', binaryMediaTypes: string[]): boolean {
  const mediaType = value
    .replace(/[;,].*/s, '')
    .trim()
    .toLowerCase();
  const itsKinds = ['*/*', mediaType.replace(/\/.*/, '/*'), mediaType];
  return binaryMediaTypes.some((binary) => itsKinds.includes(binary.toLowerCase()));
}
