import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

interface Chunk {
  file: string
  isEntry?: boolean
  isDynamicEntry?: boolean
  imports?: string[]
  css?: string[]
}

/** Kilobytes after gzip: what the first screen loads, what another screen adds, all style sheets, everything. */
const BUDGETS = { first: 240, further: 60, css: 20, all: 520 }
const DIST = fileURLToPath(new URL('../dist/dashboard/', import.meta.url))

const chunks = JSON.parse(await readFile(`${DIST}.vite/manifest.json`, 'utf8')) as Record<string, Chunk>
const kilobytes = new Map<string, number>()
for (const file of new Set(Object.values(chunks).flatMap((chunk) => [chunk.file, ...(chunk.css ?? [])]))) {
  kilobytes.set(file, gzipSync(await readFile(DIST + file), { level: 9 }).length / 1000)
}

/** The scripts that a chunk needs, with those that they import. */
function scriptsOf(name: string, found = new Set<string>()): Set<string> {
  const chunk = chunks[name]
  if (chunk === undefined || found.has(chunk.file)) return found
  found.add(chunk.file)
  for (const imported of chunk.imports ?? []) scriptsOf(imported, found)
  return found
}

const total = (files: Iterable<string>): number => [...files].reduce((sum, file) => sum + (kilobytes.get(file) ?? 0), 0)

const entry = Object.keys(chunks).find((name) => chunks[name]?.isEntry) ?? ''
const first = scriptsOf(entry)
const screens = Object.keys(chunks).filter((name) => chunks[name]?.isDynamicEntry && name.includes('screens/'))
const sizes = [
  { what: 'first screen: sign-in', limit: BUDGETS.first, size: total(first) },
  ...screens.map((name) => ({
    what: `further: ${name}`,
    limit: BUDGETS.further,
    size: total([...scriptsOf(name)].filter((file) => !first.has(file))),
  })),
  { what: 'style sheets', limit: BUDGETS.css, size: total([...kilobytes.keys()].filter((file) => file.endsWith('.css'))) },
  { what: 'everything', limit: BUDGETS.all, size: total(kilobytes.keys()) },
]

for (const { what, limit, size } of sizes)
  console.log(`${size.toFixed(1).padStart(7)} kB of ${String(limit).padStart(3)}  ${what}`)
const over = sizes.filter(({ limit, size }) => size > limit)
if (over.length > 0) {
  console.error(`Over the budget: ${over.map(({ what }) => what).join(', ')}`)
  process.exitCode = 1
}
