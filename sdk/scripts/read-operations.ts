import {
  componentName,
  type Document,
  type DocumentOperation,
  exampleOf,
  type HttpMethod,
  isObjectSchema,
  jsonContent,
  type Parameter,
  resolve,
  type Schema,
} from './openapi-document.ts'

/** One method of the client. */
export interface Operation {
  operationId: string
  resource: string
  method: string
  httpMethod: string
  route: string
  tag: string | undefined
  summary: string
  description: string
  /** The deprecation notice; undefined for other operations. */
  deprecation: string | undefined
  ids: { name: string; type: string }[]
  input: Input | undefined
  data: NamedType
  /** For a list: the name of the array in `data`. */
  itemsKey: string | undefined
  takesIdempotencyKey: boolean
  errors: { code: string; status: string; details?: Schema | undefined }[]
  example: unknown
}

/** A type of the package and its position in the generated schema. */
export interface NamedType {
  name: string
  /** Undefined for a component, which is declared once for all operations. */
  source?: string
  isObject: boolean
}

interface Input extends NamedType {
  kind: 'query' | 'body'
  required: boolean
}

/** All operations of the document, in its order. */
export function readOperations(document: Document): Operation[] {
  const prefix = apiPrefix(document)
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([key]) => ['get', 'post', 'put', 'patch', 'delete'].includes(key))
      .map(([httpMethod, operation]) => readOperation(document, httpMethod as HttpMethod, prefix + path, operation)),
  )
  return withNumbersForIds(operations)
}

// Some operations accept an id or the client's identifier in one path parameter, which the document declares as a string. If the resource's
// ids are numbers, the parameter also accepts numbers.
function withNumbersForIds(operations: Operation[]): Operation[] {
  const key = (resource: string, name: string) => `${resource} ${name}`
  const numeric = new Set(
    operations.flatMap(({ resource, ids }) => ids.filter(({ type }) => type === 'number').map(({ name }) => key(resource, name))),
  )
  return operations.map((operation) => ({
    ...operation,
    ids: operation.ids.map(({ name, type }) =>
      type === 'string' && numeric.has(key(operation.resource, name)) ? { name, type: 'string | number' } : { name, type },
    ),
  }))
}

/** The path of the first server, which precedes every route. */
function apiPrefix({ servers = [] }: Document): string {
  return servers[0] ? new URL(servers[0].url, 'http://localhost').pathname.replace(/\/$/, '') : ''
}

function readOperation(document: Document, httpMethod: HttpMethod, route: string, operation: DocumentOperation): Operation {
  const { operationId } = operation
  const [resource, method, ...rest] = operationId.split('.')
  if (!resource || !method || rest.length > 0) throw new Error(`${operationId}: expected resource.method`)
  const parameters = (operation.parameters ?? []).map((parameter) => resolve<Parameter>(document, parameter))
  const data = dataSchema(document, operation)
  const content = jsonContent(operation.requestBody?.content)
  return {
    operationId,
    resource,
    method,
    httpMethod: httpMethod.toUpperCase(),
    route,
    tag: operation.tags?.[0],
    summary: operation.summary ?? '',
    description: operation.description ?? '',
    deprecation: readDeprecation(operation),
    ids: parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, schema }) => ({ name, type: schema.type === 'integer' ? 'number' : 'string' })),
    input: readInput(document, httpMethod, operation, parameters),
    data: {
      name: componentName(data) ?? `${pascalCase(operationId)}Result`,
      source: componentName(data)
        ? undefined
        : `operations['${operationId}']['responses'][200]['content']['application/json']['data']`,
      isObject: isObjectSchema(data),
    },
    itemsKey: itemsKey(document, data),
    takesIdempotencyKey: httpMethod !== 'get',
    errors: readErrors(document, operation),
    example: content && exampleOf(document, content),
  }
}

function readDeprecation(operation: DocumentOperation): string | undefined {
  if (operation.deprecated !== true) return undefined
  const { 'x-sunset': sunset, externalDocs } = operation
  const end = sunset === undefined ? 'Going to be removed' : `Gone from ${sunset}`
  return externalDocs === undefined ? end : `${end}. What to use instead: ${externalDocs.url}`
}

function readInput(
  document: Document,
  httpMethod: HttpMethod,
  operation: DocumentOperation,
  parameters: Parameter[],
): Input | undefined {
  const { operationId, requestBody } = operation
  const query = parameters.filter((parameter) => parameter.in === 'query')
  const name = `${pascalCase(operationId)}Params`
  const body = jsonContent(requestBody?.content)?.schema
  if (body && query.length > 0)
    throw new Error(`${operationId}: takes both a body and a query, which no method signature here covers`)
  if (body) {
    const component = componentName(body)
    const source = component
      ? undefined
      : `NonNullable<operations['${operationId}']['requestBody']>['content']['application/json']`
    const isObject = isObjectSchema(resolve(document, body))
    // The API accepts an empty PUT, which changes nothing. In the SDK it is a mistake, so the body is required.
    const required = httpMethod === 'put' || requestBody?.required === true
    return { kind: 'body', required, name: component ?? name, source, isObject }
  }
  if (query.length === 0) return undefined
  const source = `Query<NonNullable<operations['${operationId}']['parameters']['query']>>`
  return { kind: 'query', required: query.some((parameter) => parameter.required), name, source, isObject: true }
}

function dataSchema(document: Document, { operationId, responses }: DocumentOperation): Schema {
  const schema = jsonContent(resolve(document, responses['200']!).content)?.schema
  const data = schema && resolve(document, schema).properties?.['data']
  if (!data) throw new Error(`${operationId}: the response 200 has no data`)
  return data
}

// A list is recognised by `pagination` or `next_cursor` beside a single array of objects.
function itemsKey(document: Document, data: Schema): string | undefined {
  const { properties = {} } = resolve(document, data)
  if (!properties['pagination'] && !properties['next_cursor']) return undefined
  const arrays = Object.keys(properties).filter((key) => {
    const { type, items } = resolve(document, properties[key]!)
    return type === 'array' && resolve(document, items!).type !== 'string'
  })
  if (arrays.length !== 1) throw new Error(`A page with ${arrays.length} arrays: ${Object.keys(properties).join(', ')}`)
  const item = resolve(document, resolve(document, properties[arrays[0]!]!).items!)
  const variants = item.oneOf ?? item.anyOf ?? [item]
  // The iterator skips repeated rows by their id when pages shift. A list without ids is only read page by page.
  const haveIds = variants.every((variant) => resolve(document, variant).properties?.['id'])
  return haveIds ? arrays[0] : undefined
}

function readErrors(document: Document, { responses }: DocumentOperation): Operation['errors'] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => {
      const schema = jsonContent(resolve(document, response).content)?.schema
      const properties = schema && resolve(document, schema).properties?.['error']
      const { code, details } = (properties && resolve(document, properties).properties) ?? {}
      const codes = code ? (resolve(document, code).enum ?? []) : []
      return codes.map((one) => ({ code: one as string, status, details }))
    })
}

/** `orders.list` becomes `OrdersList`. */
export function pascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
