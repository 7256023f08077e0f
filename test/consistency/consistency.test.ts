import './explorer/explorer.suite.ts';
import './faults/faults.suite.ts';
import './thaw.suite.ts';
