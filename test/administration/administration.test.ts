import './account.suite.ts';
import './clock.suite.ts';
import './permissions.suite.ts';
import './plants-program.suite.ts';
import './secret.suite.ts';
import './target.suite.ts';
import './token-program.suite.ts';
import './variables.suite.ts';
