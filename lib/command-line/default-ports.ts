/** The ports of `npm start`. */
export const defaultPorts = { api: 3000, dynamodb: 8000 };

/** The database of an `npm start` on its default ports. */
export const defaultEndpoint = `http://127.0.0.1:${defaultPorts.dynamodb}`;
