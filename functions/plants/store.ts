import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type ItemStore, itemStore } from '../items/store.ts';
import { type Plant, plantKind } from './plant.ts';

export type PlantStore = ItemStore<Plant>;

export const plantStore = (database: DynamoDBDocumentClient, table: string): PlantStore =>
  itemStore(plantKind, database, table);
