// Swagger UI has dark colours, but the page must choose them.
const { matches: isDark } = matchMedia('(prefers-color-scheme: dark)');
document.documentElement.classList.toggle('dark-mode', isDark);

const reference = document.getElementById('reference');

const ui = SwaggerUIBundle({
  domNode: reference,
  url: '/docs/openapi.json',
  tryItOutEnabled: true,
  // The validator of Swagger UI is a web service.
  validatorUrl: null,
  onComplete: () => ui.preauthorizeApiKey('accessToken', reference.dataset.token),
});
