// The plant that programs, pages and the API's description show.

export const exampleId = 7;

export const examplePlant = { name: 'Monstera', tag: 'indoor' };
