import { endNoTimeout } from './no-timeouts.ts';

// Node loads this module into a program, before its own code.

endNoTimeout();
