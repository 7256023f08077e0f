const reference = document.getElementById('reference');

const ui = SwaggerUIBundle({
  domNode: reference,
  url: '/docs/openapi.json',
  tryItOutEnabled: true,
  // The validator of Swagger UI is a web service.
  validatorUrl: null,
  onComplete: () => ui.preauthorizeApiKey('accessToken', reference.dataset.token),
});
