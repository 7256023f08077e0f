import './store.suite.ts';
import './members.suite.ts';
