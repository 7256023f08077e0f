import { Command } from 'commander';
import { example } from './command-line/example.ts';
import { sbom } from './sbom/bill-of-materials.ts';

new Command('node bin/node24.mjs bin/sbom.ts')
  .description('Prints the bill of materials (CycloneDX 1.6) of the deployed functions.')
  .addHelpText('after', example('node bin/node24.mjs bin/sbom.ts > sbom.json'))
  .parse();

console.log(JSON.stringify(sbom(), null, 2));
