import './faults/faults.suite.ts';
import './faults/writes.suite.ts';
