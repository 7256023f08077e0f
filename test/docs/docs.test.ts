// The suites share one test file, so that Jest is loaded once.
import './commands.suite.ts';
import './pages.suite.ts';
