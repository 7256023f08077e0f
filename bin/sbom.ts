import { Command } from 'commander';
import { sbom } from '../lib/sbom.ts';

new Command('npm run sbom')
  .description('Prints the bill of materials (CycloneDX 1.6) of the deployed functions.')
  .parse();

console.log(JSON.stringify(sbom(), null, 2));
