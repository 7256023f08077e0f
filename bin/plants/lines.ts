import { maxBodyBytes } from '../../functions/shared/operations.ts';

export interface Line {
  /** Undefined if the line is longer than the largest body of a create. */
  text: string | undefined;
  /** With the line break. */
  bytes: number;
  /** Whether a line break ends it. */
  isWhole: boolean;
}

/** Yields the lines of a text, and keeps no more of a long line than `maxBodyBytes`. */
export async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  const add = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= maxBodyBytes) pieces.push(piece);
  };
  const take = (lineBreak: 0 | 1): Line => {
    const text = bytes <= maxBodyBytes ? Buffer.concat(pieces).toString() : undefined;
    const line = { text, bytes: bytes + lineBreak, isWhole: lineBreak === 1 };
    pieces = [];
    bytes = 0;
    return line;
  };
  // readline would also end a line at U+2028, which a name can contain.
  for await (const chunk of input) {
    let start = 0;
    let end = chunk.indexOf('\n');
    while (end >= 0) {
      add(chunk.subarray(start, end));
      yield take(1);
      start = end + 1;
      end = chunk.indexOf('\n', start);
    }
    add(chunk.subarray(start));
  }
  if (bytes > 0) yield take(0);
}
