import { suspendTimeouts } from './no-timeouts.ts';

// Node loads this module into a program or a thread, before its own code.

suspendTimeouts();
