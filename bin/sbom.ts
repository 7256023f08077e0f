import { sbom } from './sbom/bill-of-materials.ts';

// Prints the bill of materials (CycloneDX 1.6) of the deployed functions.
console.log(JSON.stringify(sbom(), null, 2));
