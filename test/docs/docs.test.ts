import './commands.suite.ts';
import './pages.suite.ts';
import './pictures.suite.ts';
