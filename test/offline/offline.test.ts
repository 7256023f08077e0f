import './database.suite.ts';
import './functions.suite.ts';
import './gateway.suite.ts';
import './listen.suite.ts';
import './local.suite.ts';
import './reference.suite.ts';
import './request-log.suite.ts';
