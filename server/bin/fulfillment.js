#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(
    `The fulfillment command needs Node 22.18 or newer, this is ${process.version}. Run it with npx in the project's folder.`,
  )
  process.exit(1)
}
// Only here, as older versions do not have it.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../src/cli.ts')
