import { requireNode } from './require-node.js'

requireNode('The server')
// Only here, as older versions do not have it. Keeps what Node makes of the program's files for the next start, which then takes half as
// long.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../src/main.ts')
