import { target } from './api.ts';

/** What was found out where only a deployed stack can tell, none of it a failure; and what was left out. */
export const findings: string[] = [];

if (target.isSam)
  findings.push(
    'left out, since sam local answers in words of its own: calls without a good token (401), without the scope (403), and to unknown operations (404)',
    'left out, since sam local fails before it calls a function (502): bodies that are not UTF-8',
    'left out, since sam local hands on one of two headers of a name: two Content-Types',
    'left out, since sam local would take long over it: a list of more than 1000 plants',
  );
