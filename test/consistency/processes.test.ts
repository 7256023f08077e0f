// The suites share one test file, because each file costs half a second. Both start a process.
import './explorer/explorer.suite.ts';
import './thaw.suite.ts';
