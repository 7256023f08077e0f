import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CommandError } from '../command-line/command-error.ts';

export interface Line {
  text: string;
  /** Counted from 1. */
  number: number;
}

/** Opens a file for reading. Throws a CommandError if it cannot be read. */
export async function openInput(path: string): Promise<Readable> {
  const handle = await open(path).catch(refuseInput);
  return handle.createReadStream();
}

function refuseInput(error: Error): never {
  if (error instanceof CommandError) {
    throw error;
  }
  throw new CommandError(`Cannot read the file: ${error.message}. Choose another file.`);
}

/**
 * PowerShell 5.1 writes UTF-16. Read as UTF-8, its byte order mark is two replacement characters.
 */
function refuseUtf16(start: string): void {
  if (/^\uFFFD{2}(?:.\0|\0.)/.test(start)) {
    throw new CommandError(
      'The input is in UTF-16. Convert it with "iconv -f UTF-16 -t UTF-8 FILE > NEW_FILE".',
    );
  }
}

/** Yields the lines of a text except empty ones. Lines longer than `maxLength` may be cut. */
export async function* readLines(input: Readable, maxLength: number): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  try {
    // readline also ends a line at U+2028, which a name can contain.
    for await (const chunk of input.setEncoding('utf8')) {
      const unread = `${rest}${chunk}`;
      if (number === 0) {
        refuseUtf16(unread);
      }
      const lines = unread.split('\n');
      rest = (lines.pop() ?? '').slice(0, maxLength + 1);
      for (const text of lines) {
        number += 1;
        if (text.trim() !== '') {
          yield { text, number };
        }
      }
    }
  } catch (error) {
    refuseInput(error as Error);
  }
  if (rest.trim() !== '') {
    yield { text: rest, number: number + 1 };
  }
}

/** Returns the first line of stdin, or an empty string. */
export async function readFirstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) {
    return line;
  }
  return '';
}
