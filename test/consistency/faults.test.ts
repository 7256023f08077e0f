// The suites share one test file, because they share one engine.
import './faults/faults.suite.ts';
import './faults/handshakes.suite.ts';
