import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiText } from './openapi/document.ts';

const file = join(import.meta.dirname, '..', 'docs', 'openapi.json');
writeFileSync(file, openApiText());
console.log('Wrote docs/openapi.json.');
