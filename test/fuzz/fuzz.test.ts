import './creates.suite.ts';
import './accepted-tokens.suite.ts';
