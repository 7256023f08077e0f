import { stripTypeScriptTypes } from 'node:module';

// Strips types as Node does, so that lines and columns stay the same.
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
