import './ceiling.suite.ts';
import './deploy-role.suite.ts';
import './facts.suite.ts';
import './monitoring.suite.ts';
import './pages/commands.suite.ts';
import './plant-store.suite.ts';
import './settings.suite.ts';
import './template.suite.ts';
