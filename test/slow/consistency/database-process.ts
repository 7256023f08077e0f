import { startDatabase } from '../../../lib/offline/database.ts';

const [, , folder = '', port = '0'] = process.argv;
const { endpoint } = await startDatabase({ folder, port: Number(port) });
process.send?.(endpoint);
