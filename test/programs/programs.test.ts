import './help.suite.ts';
import './node24.suite.ts';
import './scripts.suite.ts';
import './walls.suite.ts';
