import { stripTypeScriptTypes } from 'node:module';

// Tests run the very code that Node runs: types are erased, lines and columns stay where they are.
export default { process: (source) => ({ code: stripTypeScriptTypes(source) }) };
