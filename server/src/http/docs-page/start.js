/* global SwaggerUIBundle, DOMPurify */

// Swagger UI makes HTML of the Markdown in the document. The Content-Security-Policy lets it into the page through this policy alone.
globalThis.trustedTypes?.createPolicy('default', { createHTML: (html) => DOMPurify.sanitize(html) })

try {
  // Keys that earlier versions of this page kept.
  localStorage.removeItem('authorized')
} catch {
  // A browser that refuses storage keeps no keys.
}

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // The key is in the memory of the page alone: it is gone after a reload.
  persistAuthorization: false,
  validatorUrl: null,
})
