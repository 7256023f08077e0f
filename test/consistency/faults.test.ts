import './faults/faults.suite.ts';
