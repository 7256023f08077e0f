import { plantKind } from '../../functions/plants/plant.ts';

/** A plant as programs and the API's description show it. */
export const examplePlant: typeof plantKind.example = {
  ...plantKind.example,
  name: 'Monstera',
  tag: 'indoor',
};
