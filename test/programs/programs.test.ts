import './docker.suite.ts';
import './explain.suite.ts';
import './new-file.suite.ts';
import './node24.suite.ts';
import './output.suite.ts';
import './sam.suite.ts';
import './scripts.suite.ts';
import './write-all.suite.ts';
