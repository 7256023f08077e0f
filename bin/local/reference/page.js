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
  return (document) =>
    update({
      ...document,
      servers: document.servers
        .filter(({ url }) => url.startsWith('http://127.0.0.1'))
        .map(({ url, description }) => ({ url: new URL(url).pathname, description })),
    });
}
