import type { Content } from '../../functions/plants/plant.ts';

const text = {
  type: 'string',
  pattern: '^[^\\u0000-\\u001F\\u007F-\\u009F\\uFFFD]*$',
};

/**
 * What a plant is, written down a second time. It follows from nothing, so that a wrong bound or
 * default in the code does not make it follow. No other test spells the members of a plant out.
 */
export const pinned = {
  fields: {
    id: { type: 'integer', format: 'int64', isRequired: true },
    name: { ...text, minLength: 1, maxLength: 200, isRequired: true },
    tag: { ...text, minLength: 0, maxLength: 100, isRequired: false, fallback: '' },
  },
  /** The body of a create, and what it is answered with. */
  body: '{"id":7,"name":"Aloe","tag":"sun"}',
  answer: { name: 'Aloe', tag: 'sun' } satisfies Content,
  /**
   * What versions have stored, the oldest first, and what it is read as. A new field adds a row.
   * What is stored stays as it is, because nobody migrates it.
   */
  stored: [
    { item: { id: 7, name: 'Aloe' }, answer: { name: 'Aloe', tag: '' } },
    { item: { id: 7, name: 'Aloe', tag: 'sun' }, answer: { name: 'Aloe', tag: 'sun' } },
  ] satisfies { item: object; answer: Content }[],
};
