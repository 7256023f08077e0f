import './tokens.suite.ts';
import './errors.suite.ts';
