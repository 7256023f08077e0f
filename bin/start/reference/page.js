const reference = document.getElementById('reference');

const ui = SwaggerUIBundle({
  domNode: reference,
  url: '/docs/openapi.json',
  tryItOutEnabled: true,
  // The validator of Swagger UI is a web service.
  validatorUrl: null,
  plugins: [() => ({ statePlugins: { spec: { wrapActions: { updateJsonSpec } } } })],
  onComplete: () => ui.preauthorizeApiKey('accessToken', reference.dataset.token),
});

/** Has the page call the store that serves it, and no deployed one. */
function updateJsonSpec(update) {
  return (document) => {
    leaveOutCommonHeaders(document);
    document.components.securitySchemes.accessToken.description =
      'Paste the token alone, without "Bearer".';
    return update({
      ...document,
      servers: document.servers
        .filter(({ url }) => url.startsWith('http://127.0.0.1'))
        .map(({ url, description }) => ({ url: new URL(url).pathname, description })),
    });
  };
}

/** The page's introduction names the headers that every response has. */
function leaveOutCommonHeaders({ paths, components }) {
  const inline = Object.values(paths)
    .flatMap(Object.values)
    .flatMap(({ responses }) => responses);
  const responses = [...inline, components.responses].flatMap(Object.values);
  const described = responses.filter(({ headers }) => headers);
  for (const name of Object.keys(components.headers)) {
    if (described.every(({ headers }) => headers[name])) {
      for (const { headers } of described) {
        delete headers[name];
      }
    }
  }
}
