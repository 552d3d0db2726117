// Builds the server and the command line into `server/dist`: `bin/load.js` runs it. Plain JavaScript, because it runs at the end of `npm install`,
// with any Node that can install the project.
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('..', import.meta.url))
const DIST = path.join(SERVER, 'dist')
const SOURCES = path.join(DIST, 'sources.json')
/** A running server may still load parts of the build that it started from. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000

/** Zod's messages in 63 other languages are not used. */
const WITHOUT_LOCALES = {
  name: 'without-locales',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.\/locales\/index\.js$/ }, ({ importer }) =>
      importer.includes('/node_modules/zod/') ? { path: 'locales', namespace: 'empty' } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export {}' }))
  },
}

/** esbuild gives `import()` of a package in CommonJS no named exports, as Node does. */
const NO_PACKAGES_ON_DEMAND = {
  name: 'no-packages-on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /^[^.]/ }, ({ kind, path: name, importer }) =>
      kind === 'dynamic-import' && !name.startsWith('node:') && importer.startsWith(path.join(SERVER, 'src'))
        ? { errors: [{ text: `Import ${name} in a module of its own, and import() that one` }] }
        : undefined,
    )
  },
}

const esbuild = await import('esbuild').catch(() => undefined)
if (esbuild === undefined)
  console.log(
    'The server is not built, and starts from its sources, which takes longer: development dependencies are not installed',
  )
else await buildServer(esbuild)

async function buildServer({ build }) {
  const startedAt = performance.now()
  // A start meanwhile runs the sources.
  rmSync(SOURCES, { force: true })
  const { metafile } = await build({
    absWorkingDir: SERVER,
    entryPoints: ['src/main.ts', 'src/cli.ts'],
    outdir: DIST,
    bundle: true,
    // What is loaded on demand is a file of its own, as are parts that both entries have.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    conditions: ['@fulfillment/source'],
    // Optional, and not installed.
    external: ['pg-native'],
    // For `node --enable-source-maps`.
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
    // Packages in CommonJS call `require` for parts of Node.
    banner: {
      js: `import { createRequire as createRequireOfBuild } from 'node:module'; const require = createRequireOfBuild(import.meta.url);`,
    },
    plugins: [WITHOUT_LOCALES, NO_PACKAGES_ON_DEMAND],
  })
  writeFileSync(`${SOURCES}.new`, JSON.stringify(sourcesOf(metafile)))
  renameSync(`${SOURCES}.new`, SOURCES)
  removeOldFiles()
  console.log(`The server is built: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
}

/** The project's own files in the build, and the manifest with the versions of its packages. */
function sourcesOf({ inputs }) {
  const own = Object.keys(inputs).filter((file) => !file.includes('node_modules/') && !file.startsWith('empty:'))
  return [...own, 'package.json'].map((file) => {
    const { size, mtimeMs } = statSync(path.join(SERVER, file))
    return { path: file, size, time: Math.floor(mtimeMs / 1_000) }
  })
}

function removeOldFiles() {
  for (const name of readdirSync(DIST)) {
    const file = path.join(DIST, name)
    if (statSync(file).mtimeMs < Date.now() - KEPT_MS) rmSync(file)
  }
}
