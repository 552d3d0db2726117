import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

/** Builds the service worker of an application that is built into `dist`, with the list of its files. */
export async function buildServiceWorker(root: string, dist: string): Promise<void> {
  const assets = await readdir(path.join(dist, 'assets'))
  const document = await readFile(path.join(dist, 'index.html'))
  const files = [
    // Names of assets tell their versions.
    ...assets.map((name) => ({ url: `/scan/assets/${name}`, revision: null })),
    { url: '/scan', revision: createHash('sha256').update(document).digest('hex').slice(0, 16) },
  ]
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    define: { SCAN_FILES: JSON.stringify(files), 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: dist,
      emptyOutDir: false,
      target: 'chrome120',
      rolldownOptions: {
        input: path.join(root, 'service-worker.ts'),
        output: { format: 'iife', entryFileNames: 'sw.js' },
      },
    },
  })
}
