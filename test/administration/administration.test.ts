import './help.suite.ts';
import './token.suite.ts';
import './target.suite.ts';
import './plants.suite.ts';
import './permissions.suite.ts';
import './proxies.suite.ts';
