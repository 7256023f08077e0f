import './filters.suite.ts';
import './client.suite.ts';
import './warm-up.suite.ts';
import './writes.suite.ts';
