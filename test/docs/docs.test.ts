import './commands.suite.ts';
import './logs.suite.ts';
import './pages.suite.ts';
import './pictures.suite.ts';
