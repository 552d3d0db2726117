import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

// Preloaded into a server: when it ends, prints in one line the URLs of the modules that it has loaded, and the names of the parts of Node.

const urls: string[] = []
registerHooks({ load: (url, context, load) => (urls.push(...modulesOf(url)), load(url, context)) })
process.on('exit', () => {
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] }
  console.log(JSON.stringify({ modules: [...urls, ...moduleLoadList] }))
})

/** A file of the build names each of its modules above its code, from the folder `server`. */
function modulesOf(url: string): string[] {
  if (!url.includes('/server/dist/')) return [url]
  const names = readFileSync(fileURLToPath(url), 'utf8').matchAll(/^ *\/\/ ((?:\.\.\/)*(?:src|codes|sdk|node_modules)\/\S+)$/gm)
  return [url, ...Array.from(names, ([, name]) => new URL(name as string, new URL('..', url)).href)]
}
