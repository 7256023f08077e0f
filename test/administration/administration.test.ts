import './permissions.suite.ts';
import './plants.suite.ts';
import './proxies.suite.ts';
import './target.suite.ts';
import './token.suite.ts';
import './variables.suite.ts';
import './secret.suite.ts';
