import { existsSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { buildServiceWorker } from './build-service-worker.ts'
import { compressFiles } from './compress-files.ts'

const WEB = fileURLToPath(new URL('..', import.meta.url))
const APPS = ['dashboard', 'scan']

/** Builds each application into `dist/<name>`, with compressed copies of its files. */
async function buildPages(): Promise<void> {
  const startedAt = performance.now()
  for (const mode of APPS.filter((app) => existsSync(path.join(WEB, app, 'index.html')))) {
    const root = path.join(WEB, mode)
    await build({ configFile: path.join(WEB, 'vite.config.ts'), mode, root, logLevel: 'warn' })
    if (mode === 'scan') await buildServiceWorker(root, path.join(WEB, 'dist', mode))
    await compressFiles(path.join(WEB, 'dist', mode, 'assets'))
  }
  console.log(`The pages are built: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

await buildPages()
