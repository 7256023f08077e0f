import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { example } from './command-line/example.ts';
import { openApiText } from './openapi/document.ts';

new Command('node bin/node24.mjs bin/openapi.ts')
  .description('Writes docs/openapi.json, the description of the API, from the source code.')
  .addHelpText('after', example('node bin/node24.mjs bin/openapi.ts'))
  .parse();

writeFileSync(join(import.meta.dirname, '..', 'docs', 'openapi.json'), openApiText());
console.log('Wrote docs/openapi.json.');
