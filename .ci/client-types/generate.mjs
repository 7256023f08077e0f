// Writes the types of docs/openapi.json to stdout, with bigint for every 64-bit integer.
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const ast = await openapiTS(new URL('./openapi.json', import.meta.url), {
  transform: ({ format }) => (format === 'int64' ? bigint : undefined),
});
process.stdout.write('// Made of docs/openapi.json by .ci/steps/client-types. Do not edit it.\n\n');
process.stdout.write(astToString(ast));
