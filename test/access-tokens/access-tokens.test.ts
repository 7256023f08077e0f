import './authorizer.suite.ts';
import './token-form.suite.ts';
