// A test of its own, because its hooks change which certificates the process trusts.
import './proxies.suite.ts';
