import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Document, DocumentOperation, Schema } from '../../sdk/scripts/openapi-document.ts'
import { readOperations } from '../../sdk/scripts/read-operations.ts'
import { readTopics } from '../../sdk/scripts/render-events.ts'
import { renderResources } from '../../sdk/scripts/render-resources.ts'

const script = fileURLToPath(new URL('../../sdk/scripts/generate.ts', import.meta.url))
const committed = fileURLToPath(new URL('../../openapi/openapi.json', import.meta.url))

describe('the committed output', () => {
  test('is what the document gives', async () => {
    await expect(promisify(execFile)(process.execPath, [script, '--check'])).resolves.toMatchObject({ stderr: '' })
  })

  test('fails the check when the document has changed, which names the stale files', async () => {
    const document = JSON.parse(await readFile(committed, 'utf8')) as Document
    document.paths['/orders']!.get!.summary = 'Something else'
    const folder = await mkdtemp(join(tmpdir(), 'sdk-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const changed = join(folder, 'openapi.json')
    await writeFile(changed, JSON.stringify(document))
    await expect(promisify(execFile)(process.execPath, [script, '--check', '--document', changed])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/gives: schema\.ts, resources\.ts\. Run/),
    })
  })
})

/** A document with one operation, `GET /things`, and the given changes. */
function documentWith(changes: Partial<DocumentOperation>, data: Schema = { type: 'object', properties: {} }): Document {
  const ok = { content: { 'application/json': { schema: { type: 'object', properties: { data } } } } }
  const operation = { operationId: 'things.list', responses: { 200: ok }, ...changes }
  return { servers: [{ url: '/api/v1' }], paths: { '/things': { get: operation } }, webhooks: {}, components: { schemas: {} } }
}

const string: Schema = { type: 'string' }
const query = { name: 'q', in: 'query' as const, schema: string }
const body = { content: { 'application/json': { schema: { type: 'object', properties: { a: string } } } } }
const array = (item: Schema): Schema => ({ type: 'array', items: item })

describe('the generator refuses what it has no form for, rather than leave it out', () => {
  test.each<[string, Document, RegExp]>([
    ['an operation without a resource', documentWith({ operationId: 'list' }), /list: expected resource\.method/],
    ['a nested resource', documentWith({ operationId: 'a.b.c' }), /a\.b\.c: expected resource\.method/],
    ['a body beside a query', documentWith({ parameters: [query], requestBody: body }), /both a body and a query/],
    ['a response without data', documentWith({ responses: { 200: { content: {} } } }), /200 has no data/],
    [
      'a page of two arrays',
      documentWith({}, { properties: { a: array({}), b: array({}), pagination: {} } }),
      /2 arrays: a, b, pagination/,
    ],
    ['a dead reference', documentWith({}, { $ref: '#/components/schemas/Gone' }), /Gone leads nowhere/],
  ])('%s', (_, document, message) => {
    expect(() => readOperations(document)).toThrow(message)
  })

  test('not over a list whose items have no id: it is read page by page', () => {
    const [operation] = readOperations(documentWith({}, { properties: { a: array({}), pagination: {} } }))
    expect(operation).toMatchObject({ itemsKey: undefined })
  })

  test('a topic without an example', () => {
    const schema = { $ref: '#/components/schemas/Thing' }
    const content = { 'application/json': { schema } }
    const document = documentWith({})
    document.components.schemas = { Thing: {} }
    document.webhooks = { 'thing/made': { post: { operationId: 'x', responses: {}, requestBody: { content } } } }
    expect(() => readTopics(document)).toThrow('thing/made: its body has no example')
  })
})

describe('a generated method', () => {
  const render = (changes: Partial<DocumentOperation>, data?: Schema) => {
    const document = documentWith(changes, data)
    return renderResources(document, readOperations(document))
  }

  test('has the documentation as its comment, which cannot be ended by it', () => {
    const text = render({ summary: 'List things', description: 'All of them.\n\nEven a */ is fine.' })
    expect(text).toContain(
      '   * List things.\n   *\n   * All of them.\n   *\n   * Even a *\\/ is fine.\n   *\n   * `GET /api/v1/things`\n',
    )
  })

  test('names the failures that are its own', () => {
    const failure = (...codes: string[]) => ({
      content: { 'application/json': { schema: { properties: { error: { properties: { code: { enum: codes } } } } } } },
    })
    const post = (operationId: string, responses: DocumentOperation['responses']) => ({ post: { operationId, responses } })
    const document = documentWith({})
    const { responses } = document.paths['/things']!.get!
    const shared = { ...responses, 401: failure('invalid_api_key') }
    document.paths['/a'] = post('a.create', { ...shared, 400: failure('validation_error'), 409: failure('already_exists') })
    document.paths['/b'] = post('b.create', { ...shared, 400: failure('validation_error') })
    const text = renderResources(document, readOperations(document))
    expect(text.match(/@throws.*/g)).toEqual([
      '@throws {APIError} `validation_error` (400), `already_exists` (409)',
      '@throws {APIError} `validation_error` (400)',
    ])
  })

  test('of a list returns its pages', () => {
    const text = render({}, { properties: { things: array({ properties: { id: string } }), pagination: {} } })
    expect(text).toContain("list(options?: RequestOptions): PagePromise<ThingsListResult, ThingsListResult['things'][number]>")
    expect(text).toContain("list('/api/v1/things', 'things', { options })")
  })

  test.each(['post', 'put', 'delete'] as const)('of a %s takes an idempotency key, of a GET none', (method) => {
    const document = documentWith({})
    expect(renderResources(document, readOperations(document))).toContain('list(options?: RequestOptions)')
    document.paths = { '/things': { [method]: document.paths['/things']!.get! } }
    expect(renderResources(document, readOperations(document))).toContain('list(options?: WriteOptions)')
  })

  test('has required parameters before optional ones', () => {
    const id = { name: 'thingId', in: 'path' as const, required: true, schema: { type: 'integer' } }
    expect(render({ parameters: [id, query] })).toContain(
      'list(thingId: number, params?: ThingsListParams, options?: RequestOptions)',
    )
    expect(render({ parameters: [id], requestBody: { ...body, required: true } })).toContain(
      'list(thingId: number, params: ThingsListParams, ',
    )
  })

  test('shows the example of its body', () => {
    const withExample = { content: { 'application/json': { ...body.content['application/json'], example: { a: 'b' } } } }
    expect(render({ requestBody: withExample })).toContain("   * @example\n   * await client.things.list({ a: 'b' })\n")
    expect(render({ requestBody: body })).not.toContain('@example')
  })

  test('takes a number for an id that is one elsewhere in the resource, and text for any other', () => {
    const id = (type: string) => ({ parameters: [{ name: 'id', in: 'path' as const, schema: { type } }] })
    const document = documentWith({})
    const { responses } = document.paths['/things']!.get!
    document.paths['/things/{id}'] = { get: { operationId: 'things.get', responses, ...id('integer') } }
    document.paths['/things/{id}/cancel'] = { post: { operationId: 'things.cancel', responses, ...id('string') } }
    document.paths['/hooks/{id}'] = { get: { operationId: 'hooks.get', responses, ...id('string') } }
    expect(readOperations(document).flatMap(({ ids }) => ids.map(({ type }) => type))).toEqual([
      'number',
      'string | number',
      'string',
    ])
  })

  test('of a PUT does not let its fields be forgotten', () => {
    const document = documentWith({})
    document.paths = { '/things/{id}': { put: { ...document.paths['/things']!.get!, requestBody: body } } }
    expect(renderResources(document, readOperations(document))).toContain('list(params: ThingsListParams, ')
  })
})
