import { Command } from 'commander';
import { example } from './command-line/example.ts';
import { sbom } from './sbom/bill-of-materials.ts';

new Command('npm run sbom')
  .description('Prints the bill of materials (CycloneDX 1.6) of the deployed functions.')
  .addHelpText('after', example('npm run -s sbom > sbom.json'))
  .parse();

console.log(JSON.stringify(sbom(), null, 2));
