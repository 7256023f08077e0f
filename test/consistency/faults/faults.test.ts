// The suites share one test file, because they share one engine.
import './faults.suite.ts';
import './handshakes.suite.ts';
