import './database.suite.ts';
import './runtime.suite.ts';
import './gateway.suite.ts';
import './listen.suite.ts';
import './ready.suite.ts';
import './reference.suite.ts';
import './request-log.suite.ts';
