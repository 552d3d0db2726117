import { describe, expect, it } from 'vitest'
import { openApiDocument } from '@fulfillment/server/openapi/document.ts'
import { withoutZodNoise } from '@fulfillment/server/openapi/json-schema.ts'

/** Requirements of client generators (openapi-zod-client, Kubb, Hey API, Orval, openapi-typescript, oazapfts) for code that compiles and works. */

interface Node {
  [key: string]: unknown
}

interface Operation {
  operationId: string
  parameters?: { $ref?: string; name?: string; schema?: { type?: unknown } }[]
  requestBody?: { content: object }
  responses: Record<string, { content?: object }>
}

type Paths = Record<string, Record<string, Operation>>

const document = openApiDocument() as unknown as {
  paths: Paths
  webhooks: Paths
  components: { parameters: Record<string, { schema?: { type?: unknown } }>; responses: Record<string, { content?: object }> }
}
const operationsOf = (paths: Paths) =>
  Object.values(paths).flatMap((methods) => Object.entries(methods).map(([method, operation]) => ({ method, ...operation })))
const operations = operationsOf(document.paths)

const VALUES = new Set(['default', 'enum', 'example', 'examples'])

/** Every object of the document that may be a schema, without the values in it and the tables of fields. */
function nodesOf(value: unknown, isFields = false): Node[] {
  if (Array.isArray(value)) return value.flatMap((item) => nodesOf(item))
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries(value)
    .filter(([key]) => isFields || !VALUES.has(key))
    .flatMap(([key, entry]) => nodesOf(entry, key === 'properties' && !isFields))
  return isFields ? inside : [value as Node, ...inside]
}
const nodes = nodesOf(document)

describe('the schemas', () => {
  it('write a single allowed value as an enum, because not all generators support const', () => {
    expect(withoutZodNoise({ const: 1 })).toEqual({ enum: [1] })
    expect(nodes.filter((node) => 'const' in node)).toEqual([])
    expect(nodes.filter(({ enum: values }) => Array.isArray(values) && values.length === 1).length).toBeGreaterThan(100)
  })

  it('have patterns with the same meaning as a literal, as a string, and with the flags u and v', () => {
    const patterns = nodes.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []))
    expect(patterns.length).toBeGreaterThan(2)
    // Printable, because generators copy it into source code. Without a slash, because generators differ in who escapes it.
    for (const pattern of patterns) expect(pattern).toMatch(/^[ -.0-~]+$/)
    for (const pattern of patterns) for (const flags of ['', 'u', 'v']) expect(new RegExp(pattern, flags).source).toBe(pattern)
  })

  it('have no slash in a pattern, escaped or not', () => {
    const written = (pattern: RegExp) => (withoutZodNoise({ pattern: pattern.source }) as { pattern: string }).pattern
    expect(written(/^a\/[/]$/)).toBe(String.raw`^a\x2F[\x2F]$`)
    expect(written(/^\\\/\d$/)).toBe(String.raw`^\\\x2F\d$`)
  })
})

describe('the operations', () => {
  it('have ids that are distinct in the naming convention of every language', () => {
    const ids = [...operations, ...operationsOf(document.webhooks)].map(({ operationId }) => operationId)
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]*(\.[a-z][A-Za-z0-9_]*)+$/)
    const spelled = ids.map((id) => id.replaceAll(/[._]/g, '').toLowerCase())
    expect(spelled.filter((id, index) => spelled.indexOf(id) !== index)).toEqual([])
  })

  it('have parameters of one type', () => {
    const own = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.map((parameter) => ({ operationId, ...parameter })),
    )
    for (const { operationId, name, schema } of own) expect(schema?.type, `${operationId} ${name}`).toEqual(expect.any(String))
    for (const [name, { schema }] of Object.entries(document.components.parameters))
      expect(schema?.type, name).toEqual(expect.any(String))
  })

  it('use only application/json, and GET has no body', () => {
    for (const { operationId, method, requestBody } of operations) {
      if (requestBody !== undefined) expect(Object.keys(requestBody.content), operationId).toEqual(['application/json'])
      if (method === 'get' || method === 'delete') expect(requestBody, operationId).toBeUndefined()
    }
    const successes = [...operations.map(({ responses }) => responses['200']), ...Object.values(document.components.responses)]
    for (const response of successes) expect(Object.keys(response?.content ?? {})).toEqual(['application/json'])
  })
})
