import { requireNode } from './require-node.js'
import { withoutLocales } from './without-locales.js'

requireNode('The server')
// Imported after the check: older versions of Node lack these functions. The cache stores compiled modules for the next start, which then
// takes half as long.
const { enableCompileCache, registerHooks } = await import('node:module')
enableCompileCache()
registerHooks({ resolve: withoutLocales })
await import('../src/main.ts')
