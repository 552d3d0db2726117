/* global SwaggerUIBundle, DOMPurify */

// Swagger UI makes HTML of the Markdown in the document. The Content-Security-Policy only admits HTML from this Trusted Types policy.
globalThis.trustedTypes?.createPolicy('default', { createHTML: (html) => DOMPurify.sanitize(html) })

try {
  // Earlier versions of this page stored the key here.
  localStorage.removeItem('authorized')
} catch {
  // A browser without storage stores no keys.
}

/** The part of the document at `path`, with the schemas that it refers to in their place. */
function resolveSubtree(openApiDocument, path) {
  const spec = path.reduce((part, key) => part?.[key], openApiDocument)
  return Promise.resolve({ spec: withReferences(openApiDocument, spec, []), errors: [] })
}

/** `part` without references. A schema that contains itself ends where it begins again; `within` are the references on the way to `part`. */
function withReferences(openApiDocument, part, within) {
  if (Array.isArray(part)) return part.map((item) => withReferences(openApiDocument, item, within))
  if (typeof part !== 'object' || part === null) return part
  const { $ref: reference, ...others } = part
  if (typeof reference !== 'string') {
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withReferences(openApiDocument, value, within)]))
  }
  if (within.includes(reference)) return others
  const target = reference
    .slice('#/'.length)
    .split('/')
    .reduce((found, key) => found[key], openApiDocument)
  // Swagger UI shows the last part of `$$ref` as the name of the schema.
  return { ...withReferences(openApiDocument, target, [...within, reference]), ...others, $$ref: reference }
}

SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  // Swagger UI's own resolver parses the whole document whenever an operation is opened, which takes 2 s. This document refers to itself alone.
  plugins: [() => ({ fn: { resolveSubtree } })],
  defaultModelsExpandDepth: 0,
  // Keep the key in memory only: it is gone after a reload.
  persistAuthorization: false,
  validatorUrl: null,
})
