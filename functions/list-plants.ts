import { environment } from './contract/environment-variables.ts';
import { connect, prime as primeDatabase } from './database.ts';
import { required } from './environment.ts';
import { operation } from './http/operation.ts';
import { listPlants, listPlantsInput } from './plants/list.ts';
import { plantStore } from './plants/store.ts';

const database = connect();
const plants = plantStore(database, required(environment.plantsTable));

export const handler = operation(listPlantsInput, listPlants(plants));
export const prime = () => primeDatabase(database, () => plants.list('-', 1, undefined));
