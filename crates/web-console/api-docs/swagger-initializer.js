/** Starts Swagger UI with the OpenAPI document of this server. */
window.onload = () => {
  window.ui = SwaggerUIBundle({
    dom_id: '#swagger-ui',
    url: '/api/openapi.json',
    deepLinking: true,
    tryItOutEnabled: true,
    // A token that was entered is forgotten with the page.
    persistAuthorization: false,
    layout: 'StandaloneLayout',
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [SwaggerUIBundle.plugins.DownloadUrl],
  });
};
