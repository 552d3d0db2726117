import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

/** What reads codes from pictures: as large as the rest three times over, and not for handhelds with a scanner. */
const CAMERA = /\/(?:decoder|zxing)[^/]*$/

/** Builds the service worker of an application that is built into `dist`, with the list of its files. */
export async function buildServiceWorker(root: string, dist: string): Promise<void> {
  const assets = (await readdir(path.join(dist, 'assets'))).map((name) => `/scan/assets/${name}`)
  const document = await readFile(path.join(dist, 'index.html'))
  const files = [
    // Names of assets tell their versions.
    ...assets.filter((url) => !CAMERA.test(url)).map((url) => ({ url, revision: null })),
    { url: '/scan', revision: createHash('sha256').update(document).digest('hex').slice(0, 16) },
  ]
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    define: {
      SCAN_FILES: JSON.stringify(files),
      CAMERA_FILES: JSON.stringify(assets.filter((url) => CAMERA.test(url))),
      'process.env.NODE_ENV': '"production"',
    },
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
