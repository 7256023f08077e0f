import './handlers.suite.ts';
import './input.suite.ts';
import './operation.suite.ts';
import './linear-time.suite.ts';
