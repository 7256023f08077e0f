// The handler's file in every bundle. Only an ES module can await the warm-up before Lambda counts
// the function as ready. It requires the bundle, because for an import Node would scan it twice.
import { createRequire } from 'node:module';

const bundle = createRequire(import.meta.url)('./index.js');
await bundle.warmUp();
export const handler = bundle.handler;
