import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '@fulfillment/server/procedures/endpoint.ts'
import type { Slice } from '@fulfillment/server/procedures/slice.ts'
import { SLICES } from '@fulfillment/server/slices.ts'

const DOMAIN = path.join(import.meta.dirname, '../../server/src/domain')

interface EndpointFile {
  /** `list-webhooks` */
  name: string
  /** The endpoints that the file exports, by the name of the export. */
  endpoints: Record<string, Endpoint>
}

const folders = readdirSync(DOMAIN, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const filesOf = new Map<Slice, EndpointFile[]>()
for (const { name } of folders) {
  const files = await Promise.all(
    readdirSync(path.join(DOMAIN, name)).map(async (file) => ({
      name: path.basename(file, '.ts'),
      module: await importFile(name, file),
    })),
  )
  const slice = Object.values(files.find((file) => file.name === 'slice')?.module ?? {}).find(isSlice)
  if (slice === undefined) continue
  const withEndpoints = files
    .filter((file) => file.name !== 'index')
    .map((file) => ({ name: file.name, endpoints: Object.fromEntries(Object.entries(file.module).filter(isEndpoint)) }))
    .filter(({ endpoints }) => Object.keys(endpoints).length > 0)
  filesOf.set(slice, withEndpoints)
}

async function importFile(folder: string, file: string): Promise<Record<string, unknown>> {
  return (await import(path.join(DOMAIN, folder, file))) as Record<string, unknown>
}

function isSlice(value: unknown): value is Slice {
  return typeof value === 'object' && value !== null && 'endpoints' in value
}

function isEndpoint(entry: [string, unknown]): entry is [string, Endpoint] {
  return typeof entry[1] === 'object' && entry[1] !== null && 'procedure' in entry[1]
}

/** `getBySku` as `get-by-sku` */
const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * The rule for the file of an operation: it is in the folder of the slice, and its name has the words of the action in this order. If
 * several names have them, it is the one that also has the resource, or else the shortest one. Actions with more words take precedence:
 * `undo-pick` is the file of `flows.undoPick`, not of `flows.pick`.
 */
function findFiles(operations: readonly string[], names: readonly string[]): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>()
  const left = new Set(names)
  for (const operation of operations.toSorted((a, b) => actionOf(b).length - actionOf(a).length)) {
    const resource = kebab(operation.split('.')[0] as string).replace(/s$/, '')
    const candidates = [...left].filter((name) => hasInOrder(name.split('-'), actionOf(operation)))
    const [best] = candidates.toSorted(
      (a, b) => Number(b.includes(resource)) - Number(a.includes(resource)) || a.split('-').length - b.split('-').length,
    )
    found.set(operation, best)
    if (best !== undefined) left.delete(best)
  }
  return found
}

const actionOf = (operation: string): string[] => kebab(operation.split('.')[1] as string).split('-')

function hasInOrder(words: readonly string[], wanted: readonly string[]): boolean {
  let next = 0
  for (const word of words) if (word === wanted[next]) next += 1
  return next === wanted.length
}

describe.each(SLICES.map((slice: Slice) => ({ slice, tag: slice.tags[0]?.name })))('the slice of $tag', ({ slice }) => {
  const files = filesOf.get(slice) ?? []

  it('has one file for each endpoint, named after it', () => {
    expect(files.map(({ endpoints }) => Object.keys(endpoints).map(kebab))).toEqual(files.map(({ name }) => [name]))
    const names = files.flatMap(({ endpoints }) => Object.values(endpoints).map(({ name }) => name))
    expect(names.toSorted()).toEqual(slice.endpoints.map(({ name }) => name).toSorted())
  })

  it('has the file of each operation where its name says', () => {
    const actual = new Map(
      files.flatMap(({ name, endpoints }) => Object.values(endpoints).map((endpoint) => [endpoint.name, name] as const)),
    )
    const expected = findFiles(
      slice.endpoints.map(({ name }) => name),
      files.map(({ name }) => name),
    )
    expect(Object.fromEntries(actual)).toEqual(Object.fromEntries(expected))
  })
})
