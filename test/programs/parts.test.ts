// The suites share one test file, so that Jest is loaded once. Each replaces a module of Node.
import './new-file.suite.ts';
import './write-all.suite.ts';
