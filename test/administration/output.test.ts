import './explain.suite.ts';
import './new-file.suite.ts';
import './output.suite.ts';
import './write-all.suite.ts';
