import type { DatabaseAnswer, DatabaseRequest } from './engine.ts';

/** What a request asks for, if that is not DynamoDB. */
export interface OtherService {
  name: string;
  /** The SDK's environment variable for the service's endpoint. */
  variable: string;
}

/**
 * Tells which service a request is for: by the SDK's name for it, by the scope of its signature,
 * or by its target. Returns undefined for DynamoDB, and for a request that tells nothing.
 */
export function otherService(request: DatabaseRequest): OtherService | undefined {
  const { headers } = request;
  const target = String(headers['x-amz-target'] ?? '');
  const { scope } = credentialOf(request);
  const [, client] = /\bapi\/([\w-]+)#/.exec(`${headers['user-agent']}`) ?? [];
  const service = client ?? scope ?? target.split(/_\d|\./)[0] ?? '';
  if (/^(dynamodb)?$/i.test(service) || target.startsWith('DynamoDB_2')) {
    return undefined;
  }
  const suffix = service.toUpperCase().replaceAll('-', '_');
  return { name: scope ?? service, variable: `AWS_ENDPOINT_URL_${suffix}` };
}

interface Credential {
  accessKey: string;
  /** The service that the request is signed for. */
  scope: string | undefined;
}

/**
 * Returns what a signature says, which is in a header or in the URL.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-authentication-methods.html
 */
export function credentialOf({ url = '', headers }: DatabaseRequest): Credential {
  const signature = headers.authorization ?? url.replaceAll('%2F', '/');
  const [, accessKey = '', rest = ''] = /\bCredential=([^/,\s]+)\/([^,\s&]*)/.exec(signature) ?? [];
  return { accessKey, scope: /^\d+\/(?:[\w-]+\/)?([\w-]+)\/aws4_request/.exec(rest)?.[1] };
}

/** SDKs retry no error of this name and status. */
const code = 'ServiceNotImitated';

/** Returns an error in the protocol of the request, with which SDKs do not try again. */
export function refuseService(
  { headers }: DatabaseRequest,
  { name }: OtherService,
  message: string,
): DatabaseAnswer {
  const type = headers['content-type'] ?? '';
  const xml = `<Code>${code}</Code><Message>${message.replaceAll('&', '&amp;')}</Message>`;
  const answer = (contentType: string, body: string | Buffer, more = {}): DatabaseAnswer => ({
    status: 400,
    headers: { 'Content-Type': contentType, 'x-amzn-ErrorType': code, ...more },
    body,
  });
  const error = { __type: code, message };
  if (/cbor/.test(type)) {
    return answer('application/cbor', cborMap(error), { 'smithy-protocol': 'rpc-v2-cbor' });
  }
  if (name === 's3') {
    return answer('application/xml', `<Error>${xml}</Error>`);
  }
  if (name === 'ec2') {
    return answer('text/xml', `<Response><Errors><Error>${xml}</Error></Errors></Response>`);
  }
  if (/urlencoded/.test(type) || /^(cloudfront|route53)$/.test(name)) {
    const fault = `<Error><Type>Sender</Type>${xml}</Error>`;
    return answer('text/xml', `<ErrorResponse>${fault}</ErrorResponse>`);
  }
  const isAmz = type.startsWith('application/x-amz-json');
  return answer(isAmz ? type : 'application/json', JSON.stringify(error));
}

/** https://www.rfc-editor.org/rfc/rfc8949.html */
function cborMap(members: Record<string, string>): Buffer {
  const entries = Object.entries(members);
  const texts = entries.flat().flatMap((text) => {
    const bytes = Buffer.from(text);
    return [Buffer.from([0x79, bytes.length >> 8, bytes.length & 255]), bytes];
  });
  return Buffer.concat([Buffer.from([0xa0 + entries.length]), ...texts]);
}
