import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiText } from '../lib/openapi/openapi.ts';

writeFileSync(join(import.meta.dirname, '..', 'docs', 'openapi.json'), openApiText);
console.log('Wrote docs/openapi.json.');
