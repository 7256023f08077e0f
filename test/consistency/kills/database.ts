import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ClassicLevel } from 'classic-level';
import { createTables } from '../../../lib/offline/database/create-tables.ts';
import { openDataFolder } from '../../../lib/offline/database/data-folder.ts';
import { localDocumentClient } from '../../../lib/offline/database/database-client.ts';
import { startDatabase } from '../../../lib/offline/database/embedded-database.ts';
import type { Template } from '../../../lib/offline/template/template.ts';

// Opens a data folder, makes tables in it, and puts and deletes rows. Kills itself after so many
// writes to its files.
const [, , data = '', tables = '{}', changes = '[]', writes = ''] = process.argv;
let left = Number(writes);
for (const name of ['put', 'del', 'batch', 'clear'] as const) {
  const write = Reflect.get(ClassicLevel.prototype, name);
  Reflect.set(ClassicLevel.prototype, name, function (this: ClassicLevel, ...args: unknown[]) {
    if (left === 0) {
      process.kill(process.pid, 'SIGKILL');
    }
    left -= 1;
    return Reflect.apply(write, this, args);
  });
}
const template = { of: () => new Map(Object.entries(JSON.parse(tables))) };
const database = await startDatabase({ folder: await openDataFolder(data), port: 0 });
await createTables(template as unknown as Template, database.endpoint);
const client = localDocumentClient(database.endpoint);
for (const change of JSON.parse(changes)) {
  const { Item, Key } = change;
  const TableName = 'Plants';
  await (Item
    ? client.send(new PutCommand({ TableName, Item }))
    : client.send(new DeleteCommand({ TableName, Key })));
}
client.destroy();
await database.stop();
process.stdout.write(`${Number(writes) - left} writes`);
