import { environment } from './contract/environment-variables.ts';
import { connect, prime as primeDatabase } from './database.ts';
import { required } from './environment.ts';
import { operation } from './http/operation.ts';
import { createPlant, createPlantInput } from './plants/create.ts';
import { plantStore } from './plants/store.ts';

const database = connect();
const plants = plantStore(database, required(environment.plantsTable));

export const handler = operation(createPlantInput, createPlant(plants));
export const prime = () =>
  primeDatabase(database, () => plants.create('-', { id: 0n, name: '-', tag: '' }));
