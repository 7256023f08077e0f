import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type Operation, operations } from '../functions/shared/operations.ts';
import { example } from './command-line/example.ts';
import { type Description, descriptions } from './openapi/descriptions.ts';
import { openApiText } from './openapi/document.ts';

new Command('node bin/node24.mjs bin/openapi.ts')
  .description('Writes docs/openapi.json, the description of the API, from the source code.')
  .addHelpText('after', example('node bin/node24.mjs bin/openapi.ts'))
  .parse();

const root = join(import.meta.dirname, '..');
writeFileSync(join(root, 'docs', 'openapi.json'), openApiText());
console.log('Wrote docs/openapi.json.');

// docs/sam-local.md invokes functions with events, which have the examples of the document.
for (const [name, { body }] of Object.entries<Description<Operation>>(descriptions)) {
  const { entry } = operations[name as Operation];
  const file = join(root, 'test', 'support', 'sam-events', `${entry}.json`);
  if (body && existsSync(file)) {
    const event = readFileSync(file, 'utf8');
    const line = `"body": ${JSON.stringify(JSON.stringify(body.example))},`;
    writeFileSync(
      file,
      event.replace(/"body": .*,/, () => line),
    );
  }
}
