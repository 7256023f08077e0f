import './ci.suite.ts';
import './deploy-from-github.suite.ts';
import './lock-files.suite.ts';
