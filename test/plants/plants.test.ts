import './store.suite.ts';
import './members.suite.ts';
import './creates.suite.ts';
