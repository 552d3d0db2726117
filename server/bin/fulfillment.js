#!/usr/bin/env node
import { requireNode } from './require-node.js'

requireNode('The fulfillment command')
// Only here, as older versions do not have it.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../src/cli.ts')
