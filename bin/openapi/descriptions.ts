import type { InputSchema } from '../../functions/http/input.ts';
import type { Field, Fields } from '../../functions/items/fields.ts';
import { cursorPattern, encodeCursor, largestPage } from '../../functions/items/paging.ts';
import { createPlantInput } from '../../functions/plants/create.ts';
import { deletePlantInput } from '../../functions/plants/delete.ts';
import { listPlantsInput } from '../../functions/plants/list.ts';
import { type Content, fields } from '../../functions/plants/plant.ts';
import type { Operation, operations } from '../../functions/shared/operations.ts';
import type { ProblemCode } from '../../functions/shared/problems.ts';
import { exampleId, examplePlant } from '../command-line/example-plant.ts';
import { everyResponse, type Json, json, mapped, reference } from './parts.ts';
import { int64Description } from './schema.ts';

/** What the document says of an operation, beside its row. */
export interface Description<O extends Operation> {
  summary: string;
  description: string;
  input: InputSchema;
  /** The name of its schema, and an example. */
  body?: { name: string; example: Json };
  successes: Record<keyof (typeof operations)[O]['successes'], Json>;
  /** In addition to those of every operation. */
  problems: ProblemCode[];
}

/** Returns the answer to a create with these fields. The others have their defaults. */
const shown = (given: Partial<Content>): Json => ({
  ...mapped(fields, ({ fallback, kind }: Field<unknown>) =>
    fallback === undefined ? kind.samples().good[0] : fallback,
  ),
  ...given,
});
// Filters stand before them.
const nextQuery = `([^&>]+&)*limit=[1-9][0-9]{0,3}&cursor=${cursorPattern}`;

const location = {
  required: true,
  description: 'The path of the plant.',
  schema: { type: 'string', pattern: '^(/[^/]+)*/plants/(0|-?[1-9][0-9]{0,18})$' },
  example: `/v1/plants/${exampleId}`,
};
const created = (description: string) => ({
  description,
  headers: { ...everyResponse, Location: location },
  ...json(reference('schemas', 'Plant'), shown(examplePlant)),
});
const link = {
  description: 'The path of the next page (RFC 8288), if there is one.',
  schema: { type: 'string', pattern: `^<(/[^/?]+)*/plants\\?${nextQuery}>; rel="next"$` },
  example: `</v1/plants?limit=2&cursor=${encodeCursor(BigInt(exampleId))}>; rel="next"`,
};
const plants = { type: 'array', maxItems: largestPage, items: reference('schemas', 'Plant') };

/** The fields of what answers hold, by the names of their schemas. */
export const answers: Record<string, Fields> = { Plant: fields };

/** The texts of the operations. Only the document has them, so that bundles stay small. */
export const descriptions: { [O in Operation]: Description<O> } = {
  createPlant: {
    summary: 'Create a plant',
    description:
      'Stores a plant under an id that the caller chooses. ' +
      'The same request again changes nothing and is answered with 200. After a 503 it may bring ' +
      'back a plant that another caller deleted meanwhile.',
    input: createPlantInput,
    body: { name: 'NewPlant', example: { id: exampleId, ...examplePlant } },
    successes: {
      201: created('The plant was stored.'),
      200: created('The plant existed already, with the same content.'),
    },
    problems: ['plant-exists', 'content-too-large', 'unsupported-media-type'],
  },
  listPlants: {
    summary: 'List the caller’s plants',
    description:
      'Lists plants in ascending order of their ids, including everything written before. ' +
      'To read on, follow Link until a page has none.',
    input: listPlantsInput,
    successes: {
      200: {
        description: 'A page of plants.',
        headers: { ...everyResponse, Link: link },
        ...json(plants, [shown({}), shown(examplePlant)]),
      },
    },
    problems: [],
  },
  deletePlant: {
    summary: 'Delete a plant',
    description:
      'A body is ignored. To repeat it after a 503 may delete a plant that another caller ' +
      'created meanwhile.',
    input: deletePlantInput,
    successes: { 204: { description: 'The plant was deleted.', headers: everyResponse } },
    problems: ['plant-not-found'],
  },
};

export const parameterDescriptions: Record<string, string> = {
  id: `The id of the plant. ${int64Description}`,
  limit: `The maximum number of plants. A value above ${largestPage} means ${largestPage}.`,
  cursor: 'The position after which to continue, as a Link has it.',
};
