import './document.suite.ts';
import './inputs.suite.ts';
