import './commands.suite.ts';
import './pages.suite.ts';
