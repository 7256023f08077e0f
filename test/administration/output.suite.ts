import { expect, jest, test } from '@jest/globals';
import { onInterrupt, showProgress } from '../../lib/administration/progress.ts';
import { escapeControls } from '../../lib/command-line/escape-controls.ts';

test.each([
  ['an escape sequence', 'a\u001b[2Jb', 'a\\u001b[2Jb'],
  ['a text in reverse order', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
  ['a line break', 'a\nb\r\u0085\u2028\u2029c', 'a\\u000ab\\u000d\\u0085\\u2028\\u2029c'],
  ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ['letters of any language', 'é漢👩‍🌾\u{1F335} e\u0301', 'é漢👩‍🌾\u{1F335} e\u0301'],
])('%s is printed so that a terminal does not execute it', (_, text, printed) => {
  expect(escapeControls(text)).toBe(printed);
});

const eraseLine = '\r\u001b[K';
const terminal = { isTTY: true, columns: 80 };
test.each([
  {
    stderr: 'a narrow terminal',
    stream: { isTTY: true, columns: 20 },
    written: [`${eraseLine}Importing: 7 things`, eraseLine],
  },
  { stderr: 'a terminal of unknown width', stream: { isTTY: true, columns: 0 }, written: [] },
  {
    stderr: 'a terminal that cannot redraw a line',
    stream: terminal,
    TERM: 'dumb',
    written: [],
  },
  { stderr: 'a file', stream: { isTTY: false }, written: [] },
])('progress on $stderr takes at most one line', async ({ stream, TERM = 'xterm', written }) => {
  jest.resetModules();
  const ofNewProcess = await import('../../lib/administration/progress.ts');
  jest.replaceProperty(process, 'env', { TERM });
  const texts: string[] = [];
  const stderr = { ...stream, write: (text: string) => texts.push(text) };
  jest.spyOn(process, 'stderr', 'get').mockReturnValue(stderr as never);
  try {
    ofNewProcess.showProgress('Importing: 7 things created');
    ofNewProcess.clearProgress();
    ofNewProcess.clearProgress();
  } finally {
    jest.restoreAllMocks();
  }
  expect(texts).toEqual(written);
});

test('progress on a terminal is shown again after 100 ms, and cleared if it is interrupted', () => {
  const texts: string[] = [];
  const write = (text: string) => texts.push(text);
  jest.spyOn(process, 'stderr', 'get').mockReturnValue({ ...terminal, write } as never);
  jest.replaceProperty(process, 'env', { TERM: 'xterm' });
  jest.spyOn(console, 'error').mockImplementation((line) => write(`${line}\n`));
  const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const now = jest.spyOn(Date, 'now');
  const start = Date.now() + 1000;
  for (const ms of [0, 99, 100]) {
    now.mockReturnValue(start + ms);
    showProgress(`after ${ms} ms`);
  }
  onInterrupt(() => 'An earlier state.');
  onInterrupt(() => 'The state.');
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) {
    process.emit(signal);
    process.removeAllListeners(signal);
  }
  expect(exit.mock.calls).toEqual([[1], [1], [1]]);
  jest.restoreAllMocks();
  expect(texts).toEqual([
    `${eraseLine}after 0 ms`,
    `${eraseLine}after 100 ms`,
    eraseLine,
    ...signals.map(() => 'error: interrupted. The state.\n'),
  ]);
});
