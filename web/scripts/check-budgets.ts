import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

interface Chunk {
  file: string
  isEntry?: boolean
  isDynamicEntry?: boolean
  imports?: string[]
  css?: string[]
}

interface Budget {
  /** What the first screen loads. The scan app has one screen's worth of code, with its styles. */
  first: number
  /** What another screen adds. */
  further?: number
  css?: number
  all?: number
  /** What reads codes from pictures: it is loaded when the camera is used first. */
  camera?: number
}

/** Kilobytes after gzip. */
const BUDGETS: Record<string, Budget> = {
  dashboard: { first: 240, further: 60, css: 20, all: 520 },
  scan: { first: 130, further: 20, camera: 450 },
}

interface Size {
  what: string
  limit: number | undefined
  size: number
}

async function sizesOf(app: string, budget: Budget): Promise<Size[]> {
  const dist = fileURLToPath(new URL(`../dist/${app}/`, import.meta.url))
  const chunks = JSON.parse(await readFile(`${dist}.vite/manifest.json`, 'utf8')) as Record<string, Chunk>
  const kilobytes = new Map<string, number>()
  for (const file of new Set(Object.values(chunks).flatMap((chunk) => [chunk.file, ...(chunk.css ?? [])]))) {
    kilobytes.set(file, await kilobytesOf(dist + file))
  }
  const camera = (await readdir(`${dist}assets`)).filter((file) => /^(decoder|zxing).*\.(js|wasm)$/.test(file))
  const cameraSizes = await Promise.all(camera.map((file) => kilobytesOf(`${dist}assets/${file}`)))
  const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + (kilobytes.get(file) ?? 0), 0)
  const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? ''
  const first = filesOf(chunks, entry, budget.css === undefined)
  const screens = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry && name.includes('screens/'))
  const sizes = [
    { what: 'first screen', limit: budget.first, size: total(first) },
    ...screens.map((name) => ({
      what: `further: ${name}`,
      limit: budget.further,
      size: total([...filesOf(chunks, name, false)].filter((file) => !first.has(file))),
    })),
    { what: 'style sheets', limit: budget.css, size: total([...kilobytes.keys()].filter((file) => file.endsWith('.css'))) },
    { what: 'everything', limit: budget.all, size: total(kilobytes.keys()) },
    { what: 'camera', limit: budget.camera, size: cameraSizes.reduce((sum, size) => sum + size, 0) },
  ]
  return sizes.map(({ what, ...size }) => ({ what: `${app}, ${what}`, ...size }))
}

const kilobytesOf = async (file: string): Promise<number> => gzipSync(await readFile(file), { level: 9 }).length / 1000

/** The scripts that a chunk needs, with those that they import, and their styles if `hasStyles`. */
function filesOf(chunks: Record<string, Chunk>, name: string, hasStyles: boolean, found = new Set<string>()): Set<string> {
  const chunk = chunks[name]
  if (chunk === undefined || found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const style of hasStyles ? (chunk.css ?? []) : []) found.add(style)
  for (const imported of chunk.imports ?? []) filesOf(chunks, imported, hasStyles, found)
  return found
}

const sizes = (await Promise.all(Object.entries(BUDGETS).map(([app, budget]) => sizesOf(app, budget))))
  .flat()
  .filter((size): size is Size & { limit: number } => size.limit !== undefined)
for (const { what, limit, size } of sizes)
  console.log(`${size.toFixed(1).padStart(7)} kB of ${String(limit).padStart(3)}  ${what}`)
const over = sizes.filter(({ limit, size }) => size > limit)
if (over.length > 0) {
  console.error(`Over the budget: ${over.map(({ what }) => what).join(', ')}`)
  process.exitCode = 1
}
