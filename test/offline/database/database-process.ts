import { openDataFolder } from '../../../lib/offline/database/data-folder.ts';
import { startDatabase } from '../../../lib/offline/database/embedded-database.ts';

const [, , data = '', port = '0'] = process.argv;
const { endpoint } = await startDatabase({
  folder: await openDataFolder(data),
  port: Number(port),
});
process.send?.(endpoint);
