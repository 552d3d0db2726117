#!/usr/bin/env node
import { requireNode } from './require-node.js'
import { withoutLocales } from './without-locales.js'

requireNode('The fulfillment command')
// Imported after the check: older versions of Node lack these functions.
const { enableCompileCache, registerHooks } = await import('node:module')
enableCompileCache()
// Resolves the SDK to its sources, so that the command works in a checkout without a build.
registerHooks({
  resolve: (specifier, context, resolve) =>
    withoutLocales(specifier, { ...context, conditions: [...context.conditions, '@fulfillment/source'] }, resolve),
})
await import('../src/cli.ts')
