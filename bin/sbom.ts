import { Command } from 'commander';
import { sbom } from '../lib/sbom.ts';
import { example } from './command-line/example.ts';

new Command('npm run sbom')
  .description('Prints the bill of materials (CycloneDX 1.6) of the deployed functions.')
  .addHelpText('after', example('npm run -s sbom > sbom.json'))
  .parse();

console.log(JSON.stringify(sbom(), null, 2));
