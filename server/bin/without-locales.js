/** Resolves modules without Zod's messages in 63 other languages, which are not used and take a tenth of the start. */
export function withoutLocales(specifier, context, resolve) {
  return specifier === '../locales/index.js' && context.parentURL.includes('/node_modules/zod/')
    ? { url: 'data:text/javascript,', format: 'module', shortCircuit: true }
    : resolve(specifier, context)
}
