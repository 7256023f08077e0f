import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { AdministrationError } from '../administration/administration-error.ts';
import { counted } from './counted.ts';
import { onInterrupt } from './interrupt.ts';
import { toLine } from './lines.ts';
import { type OwnerOptions, openPlants, pagesOf } from './plants-table.ts';
import { progressBar } from './progress-bar.ts';
import { openUnfinishedExport } from './unfinished-export.ts';

/**
 * Writes an owner's plants to a file, or to stdout if none is named. An export to a file continues
 * one that did not come to its end.
 */
export async function exportCommand(file: string | undefined, options: OwnerOptions) {
  const { owner } = options;
  const { store, database, table } = await openPlants(options);
  const bar = progressBar('Exporting');
  let plants = 0;
  async function* linesAfter(last?: bigint, signal?: AbortSignal) {
    for await (const page of pagesOf(store, owner, last, signal)) {
      yield page.map(toLine).join('');
      plants += page.length;
      bar.show(plants);
    }
  }

  if (file === undefined) await pipeline(linesAfter(), process.stdout, { end: false });
  else {
    const signal = onInterrupt();
    const { Table } = await database.send(new DescribeTableCommand({ TableName: table }));
    // Another table may get the same name later.
    const origin = { owner, table: Table?.TableArn ?? table, tableId: Table?.TableId ?? '' };
    const unfinished = await openUnfinishedExport(file, origin);
    plants = unfinished.plants;
    // It is on the disk before it gets its name.
    const stream = createWriteStream(unfinished.path, { flags: 'a', flush: true });
    try {
      await pipeline(linesAfter(unfinished.last, signal), stream, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new AdministrationError(`interrupted. Repeat the command to continue ${file}.part.`);
    }
    unfinished.finish(unfinished.bytes + stream.bytesWritten);
  }
  bar.clear();
  console.error(`Exported ${counted(plants)} of ${owner}.`);
}
