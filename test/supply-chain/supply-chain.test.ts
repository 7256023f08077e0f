import './ci.suite.ts';
import './deploy-from-github.suite.ts';
import './lock-files.suite.ts';
import './missing-tools.suite.ts';
import './vulnerabilities.suite.ts';
