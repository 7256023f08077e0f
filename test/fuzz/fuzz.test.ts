import './creates.suite.ts';
import './histories.suite.ts';
import './requests.suite.ts';
import './tokens.suite.ts';
