/* global SwaggerUIBundle, DOMPurify */

// Swagger UI makes HTML of the Markdown in the document. The Content-Security-Policy only admits HTML from this Trusted Types policy.
globalThis.trustedTypes?.createPolicy('default', { createHTML: (html) => DOMPurify.sanitize(html) })

try {
  // Earlier versions of this page stored the key here.
  localStorage.removeItem('authorized')
} catch {
  // A browser without storage stores no keys.
}

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Keep the key in memory only: it is gone after a reload.
  persistAuthorization: false,
  validatorUrl: null,
})
