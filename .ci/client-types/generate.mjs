// Writes the types of docs/openapi.json to stdout, with bigint for every 64-bit integer.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const document = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
const ast = await openapiTS(document, {
  transform: ({ format }) => (format === 'int64' ? bigint : undefined),
});
// A test compares the digest, so that the types are not forgotten when the document changes.
const digest = createHash('sha256').update(document).digest('hex');
process.stdout.write('// Made of docs/openapi.json by .ci/steps/client-types. Do not edit it.\n');
process.stdout.write(`// The document's SHA-256 digest: ${digest}\n\n`);
process.stdout.write(astToString(ast));
