/** The operations of the API. A path is relative to the stage. */
export const operations = {
  createPlant: { method: 'POST', path: 'plants' },
  listPlants: { method: 'GET', path: 'plants' },
  deletePlant: { method: 'DELETE', path: 'plants/{id}' },
} as const;

export type Operation = keyof typeof operations;
