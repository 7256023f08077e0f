import './creates.suite.ts';
import './tokens.suite.ts';
