import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CommandError } from './command-error.ts';

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

function refuseInput({ message }: Error): never {
  throw new CommandError(`Cannot read the file: ${message}. Choose another file.`);
}

/** Yields the lines of a text except empty ones. Lines longer than `maxLength` may be cut. */
export async function* readLines(input: Readable, maxLength: number): AsyncGenerator<Line> {
  let number = 0;
  let rest = '';
  try {
    // readline also ends a line at U+2028, which a name can contain.
    for await (const chunk of input.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
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
