import { inspect } from 'node:util'
import { jsDoc } from './js-doc.ts'
import type { Document } from './openapi-document.ts'
import { type Operation, pascalCase } from './read-operations.ts'

/** `resources.ts`: a class for each resource with a method for each operation. */
export function renderResources(document: Document, operations: Operation[]): string {
  const resources = Map.groupBy(operations, ({ resource }) => resource)
  return [
    imports(operations),
    ...[...resources].map(([resource, own]) => renderResource(document, resource, own, operations)),
    renderRoot(document, resources),
  ].join('\n\n')
}

function imports(operations: Operation[]): string {
  const models = [
    ...new Set(operations.flatMap(({ input, data }) => [input?.name, data.name]).filter((name) => name !== undefined)),
  ].toSorted()
  return [
    "import type { APIPromise } from '../client/api-promise.ts'",
    "import type { RequestOptions, WriteOptions } from '../client/options.ts'",
    "import type { PagePromise } from '../client/page-promise.ts'",
    "import type { Transport } from '../client/transport.ts'",
    `import type {\n${models.map((name) => `  ${name},`).join('\n')}\n} from './models.ts'`,
  ].join('\n')
}

/** `api-prefix.ts`: the whole path segments that all routes share. */
export function renderApiPrefix(operations: Operation[]): string {
  const [first = [], ...others] = operations.map(({ route }) => route.split('/'))
  const end = first.findIndex((segment, i) => others.some((other) => other[i] !== segment))
  return `/** The prefix of every route. */\nexport const API_PREFIX = '${first.slice(0, end).join('/')}'`
}

function renderResource(document: Document, resource: string, own: Operation[], all: Operation[]): string {
  return `${jsDoc(tagDescription(document, own))}export class ${pascalCase(resource)} {
  readonly #transport: Transport

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport
  }

${own.map((operation) => renderMethod(operation, all)).join('\n\n')}
}`
}

function renderMethod(operation: Operation, all: Operation[]): string {
  const { method, httpMethod, route, ids, input, data, itemsKey, takesIdempotencyKey } = operation
  const parameters = [
    ...ids.map(({ name, type }) => `${name}: ${type}`),
    input && `params${input.required ? '' : '?'}: ${input.name}`,
    `options?: ${takesIdempotencyKey ? 'WriteOptions' : 'RequestOptions'}`,
  ].filter(Boolean)
  const callInput = [
    ids.length > 0 && `ids: [${ids.map(({ name }) => name).join(', ')}]`,
    input && `${input.kind}: params`,
    'options',
  ].filter(Boolean)
  const types = itemsKey ? `<${data.name}, ${data.name}['${itemsKey}'][number]>` : `<${data.name}>`
  const call = itemsKey ? `list('${route}', '${itemsKey}'` : `request('${httpMethod}', '${route}'`
  return `${jsDoc(methodDoc(operation, all), '  ')}  ${method}(${parameters.join(', ')}): ${itemsKey ? 'PagePromise' : 'APIPromise'}${types} {
    return this.#transport.${call}, { ${callInput.join(', ')} })
  }`
}

function methodDoc(operation: Operation, all: Operation[]): string {
  const { summary, description, deprecation, httpMethod, route } = operation
  const own = ownErrors(operation, all).map(({ code, status }) => `\`${code}\` (${status})`)
  return [
    summary.replace(/\.?$/, '.'),
    description,
    `\`${httpMethod} ${route}\``,
    [
      deprecation && `@deprecated ${deprecation}`,
      own.length > 0 && `@throws {APIError} ${own.join(', ')}`,
      renderExample(operation),
    ]
      .filter(Boolean)
      .join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function renderExample({ resource, method, ids, itemsKey, example }: Operation): string {
  const call = (values: string[]) => `client.${resource}.${method}(${values.join(', ')})`
  const idNames = ids.map(({ name }) => name)
  if (itemsKey) return `@example\nfor await (const item of ${call(idNames)}) console.log(item.id)`
  return example === undefined ? '' : `@example\nawait ${call([...idNames, literal(example)])}`
}

function literal(value: unknown): string {
  return inspect(value, { depth: null, breakLength: 100, maxArrayLength: null, maxStringLength: null })
}

function renderRoot(document: Document, resources: Map<string, Operation[]>): string {
  const fields = [...resources].map(
    ([name, own]) => `${jsDoc(tagDescription(document, own), '  ')}  readonly ${name}: ${pascalCase(name)}`,
  )
  const assignments = [...resources.keys()].map((name) => `    this.${name} = new ${pascalCase(name)}(transport)`)
  return `${jsDoc('All resources of the API.')}export class Resources {
${fields.join('\n')}

  /** @internal */
  constructor(transport: Transport) {
${assignments.join('\n')}
  }
}`
}

function tagDescription({ tags = [] }: Document, [first]: Operation[]): string {
  return tags.find(({ name }) => name === first?.tag)?.description ?? ''
}

// The operation's own errors. Errors of every operation (a wrong key, a rate limit, malformed JSON) are omitted.
function ownErrors({ httpMethod, errors }: Operation, operations: Operation[]): Operation['errors'] {
  const alike = operations.filter((other) => other.httpMethod === httpMethod)
  const isShared = (code: string) => alike.every((other) => other.errors.some((error) => error.code === code))
  return errors.filter(({ code, status }) => status === '400' || !isShared(code))
}
