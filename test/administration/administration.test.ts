import './account.suite.ts';
import './clock.suite.ts';
import './permissions.suite.ts';
import './plants.suite.ts';
import './secret.suite.ts';
import './target.suite.ts';
import './token.suite.ts';
import './variables.suite.ts';
