// Builds the pages at the end of `npm install`. Plain JavaScript, because any Node that can install the project runs it.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const build = fileURLToPath(new URL('build.ts', import.meta.url))
const tools = ['vite/package.json', 'react/package.json', 'node/bin/node']

/** Why the pages are not built now, and what builds them; undefined when they are. */
function reason() {
  if (process.env.PAGES_BUILD === 'false') return 'PAGES_BUILD is false. To build them, run npm run build'
  if (tools.every(isInstalled)) return undefined
  return 'development dependencies are not installed. To build them, run npm install without --omit=dev and --ignore-scripts'
}

function isInstalled(file) {
  return (
    existsSync(new URL(`../../node_modules/${file}`, import.meta.url)) ||
    existsSync(new URL(`../node_modules/${file}`, import.meta.url))
  )
}

const why = reason()
if (why === undefined) {
  // npm puts node_modules/.bin first: this is the project's own Node.
  const { status } = spawnSync('node', [build], { stdio: 'inherit' })
  process.exitCode = status ?? 1
} else {
  console.log(`The pages are not built: ${why}`)
}
