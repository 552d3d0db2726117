import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Maximum size of each entry with its imports, minified and gzipped. */
const BUDGETS = { 'index.js': 8_500, 'webhooks.js': 2_400 }

for (const [entry, budget] of Object.entries(BUDGETS)) {
  const size = await bundledSize(entry)
  console.log(`${entry}: ${size} of ${budget} bytes`)
  if (size > budget) process.exitCode = 1
}

async function bundledSize(entry: string): Promise<number> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../dist/${entry}`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    // An import of node: in a browser entry fails here.
    platform: 'browser',
    write: false,
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}
