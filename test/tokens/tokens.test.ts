import './tokens.suite.ts';
import './lost-responses.suite.ts';
