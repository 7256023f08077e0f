import './administration.suite.ts';
import './lost-responses.suite.ts';
