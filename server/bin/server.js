import { requireNode } from './require-node.js'

requireNode('The server')
// Imported after the check: older versions of Node lack these functions. The cache stores compiled modules for the next start, which then
// takes half as long.
const { enableCompileCache, registerHooks } = await import('node:module')
enableCompileCache()
// Omits Zod's messages in 63 other languages, which are not used and take a tenth of the start.
registerHooks({
  resolve: (specifier, context, resolve) =>
    specifier === '../locales/index.js' && context.parentURL.includes('/node_modules/zod/')
      ? { url: 'data:text/javascript,', format: 'module', shortCircuit: true }
      : resolve(specifier, context),
})
await import('../src/main.ts')
