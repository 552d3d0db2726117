import { requireNode } from './require-node.js'

requireNode('The server')
// Imported after the check: older versions of Node lack functions that it needs.
const { load } = await import('./load.js')
await load('main')
