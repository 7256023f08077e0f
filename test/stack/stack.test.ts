// The parts are one suite, so that each template is synthesized once.
import './facts.ts';
import './monitoring.ts';
import './resources.ts';
import './roles.ts';
