// The suites share one test file, because they share one engine or load the same modules.
import './faults/faults.suite.ts';
import './faults/handshakes.suite.ts';
import './faults/proxies.suite.ts';
import './faults/writes.suite.ts';
