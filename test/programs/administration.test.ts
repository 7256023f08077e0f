// The suites of npm run token and npm run plants share one test file, so that Jest and the SDK are
// loaded once. They run the programs in this process.
import './token.suite.ts';
import './target.suite.ts';
import './plants.suite.ts';
import './permissions.suite.ts';
