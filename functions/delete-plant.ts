import { environment } from './contract/environment-variables.ts';
import { connect, prime as primeDatabase } from './database.ts';
import { required } from './environment.ts';
import { operation } from './http/operation.ts';
import { deletePlant, deletePlantInput } from './plants/delete.ts';
import { plantStore } from './plants/store.ts';

const database = connect();
const plants = plantStore(database, required(environment.plantsTable));

export const handler = operation(deletePlantInput, deletePlant(plants));
export const prime = () => primeDatabase(database, () => plants.remove('-', 0n));
