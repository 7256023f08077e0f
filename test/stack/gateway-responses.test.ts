import { expect, test } from '@jest/globals';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { ProblemCode } from '../../functions/shared/problems.ts';
import { differencesFromProblem } from '../support/openapi/description.ts';
import { propertiesOf, settings, templateWith } from './templates.ts';

interface GatewayResponse {
  ResponseType: string;
  StatusCode: string;
  ResponseParameters: Record<string, string>;
  ResponseTemplates: Record<string, string>;
}

const expectedProblems: Record<string, [status: number, code: ProblemCode]> = {
  ACCESS_DENIED: [403, 'insufficient-scope'],
  API_CONFIGURATION_ERROR: [500, 'internal-error'],
  AUTHORIZER_CONFIGURATION_ERROR: [503, 'unavailable'],
  AUTHORIZER_FAILURE: [503, 'unavailable'],
  BAD_REQUEST_BODY: [400, 'invalid-request'],
  BAD_REQUEST_PARAMETERS: [400, 'invalid-request'],
  DEFAULT_4XX: [404, 'no-such-operation'],
  DEFAULT_5XX: [500, 'internal-error'],
  EXPIRED_TOKEN: [404, 'no-such-operation'],
  INTEGRATION_FAILURE: [503, 'unavailable'],
  INTEGRATION_TIMEOUT: [503, 'unavailable'],
  INVALID_API_KEY: [404, 'no-such-operation'],
  INVALID_SIGNATURE: [404, 'no-such-operation'],
  MISSING_AUTHENTICATION_TOKEN: [404, 'no-such-operation'],
  QUOTA_EXCEEDED: [429, 'too-many-requests'],
  REQUEST_TOO_LARGE: [413, 'content-too-large'],
  RESOURCE_NOT_FOUND: [404, 'no-such-operation'],
  THROTTLED: [429, 'too-many-requests'],
  UNAUTHORIZED: [401, 'unauthorized'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'unsupported-media-type'],
  WAF_FILTERED: [403, 'request-blocked'],
};

const declaredWith = async (chosen: Record<string, string>): Promise<GatewayResponse[]> =>
  propertiesOf(await templateWith(chosen), 'AWS::ApiGateway::GatewayResponse');
const plain = await declaredWith(settings.default);

/**
 * Renders a response as API Gateway does. The value of a header is a literal in single quotes or a
 * reference, and a template is text with references.
 */
function render({ StatusCode, ResponseParameters, ResponseTemplates }: GatewayResponse) {
  const headers = Object.entries(ResponseParameters).map(([parameter, source]) => {
    const [, literal] = /^'([^\r\n]*)'$/.exec(source) ?? [];
    if (literal === undefined && source !== 'context.extendedRequestId') {
      throw new Error(`${parameter}: ${source} is neither a literal nor the request id.`);
    }
    const name = parameter.replace(/^gatewayresponse\.header\./, '').toLowerCase();
    return [name, literal ?? 'request-1'];
  });
  const [template = ''] = Object.values(ResponseTemplates);
  return {
    status: Number(StatusCode),
    headers: Object.fromEntries(headers),
    body: template.replaceAll('$context.extendedRequestId', 'request-1'),
  };
}

test('every type of gateway response is declared', () => {
  const types = Object.values(ResponseType).filter((type) => type instanceof ResponseType);
  const names = types.map(({ responseType }) => responseType).sort();
  expect(plain.map(({ ResponseType: type }) => type).sort()).toEqual(names);
  expect(Object.keys(expectedProblems).sort()).toEqual(names);
});

test.each(plain)('$ResponseType is a problem as the contract has it', (response) => {
  const [status, code] = expectedProblems[response.ResponseType] ?? [0, 'internal-error'];
  const answer = render(response);
  expect(differencesFromProblem(code, answer)).toEqual([]);
  expect(answer.status).toBe(status);
  const body = JSON.parse(answer.body);
  expect(body).toMatchObject({ status, instance: 'request-1' });
  expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'instance']);
  // Anything else of the request could hold the caller's token.
  expect(answer.body).not.toContain('$');
});

test('with CORS on, every gateway response names the origin', async () => {
  const origins = (await declaredWith(settings.everything)).map(
    (response) => render(response).headers['access-control-allow-origin'],
  );
  expect(new Set(origins)).toEqual(new Set(['https://example.com']));
  const plainHeaders = plain.flatMap((response) => Object.keys(render(response).headers));
  expect(plainHeaders.filter((name) => name.startsWith('access-control'))).toEqual([]);
});
