import { startDatabase } from '../../../lib/offline/database/embedded-database.ts';

const [, , data = '', port = '0'] = process.argv;
const { endpoint } = await startDatabase({ data, port: Number(port) });
process.send?.(endpoint);
