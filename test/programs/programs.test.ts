import '../local/docker.suite.ts';
import '../administration/explain.suite.ts';
import '../administration/new-file.suite.ts';
import './node24.suite.ts';
import '../administration/output.suite.ts';
import '../local/sam.suite.ts';
import './scripts.suite.ts';
import '../administration/write-all.suite.ts';
