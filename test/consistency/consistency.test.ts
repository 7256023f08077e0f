import './explorer/explorer.suite.ts';
import './faults/faults.suite.ts';
