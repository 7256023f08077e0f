import './explorer/explorer.suite.ts';
import './thaw.suite.ts';
