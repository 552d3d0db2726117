import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { openApiDocument } from '../../server/src/openapi/document.ts'

interface Operation {
  method: string
  segments: string[]
  pointer: string
  statuses: Set<string>
}

const document = openApiDocument()
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'openapi')

const operations: Operation[] = Object.entries(document.paths as Record<string, Record<string, { responses: object }>>).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      segments: path.split('/'),
      pointer: `openapi#/paths/${escapePointer(path)}/${method}/responses`,
      statuses: new Set(Object.keys(responses)),
    })),
)

const validators = new Map<string, ValidateFunction>()

/** Throws unless the document has this answer: the operation, its status, and a body that fits the schema. */
export function assertFitsDocument(method: string, url: string, answer: { status: number; body: unknown }): void {
  if (method === 'HEAD') return
  const operation = operationOf(method, url)
  if (operation !== undefined && !operation.statuses.has(String(answer.status))) {
    throw new Error(
      `${method} ${url} answered ${answer.status}, which the document does not have: ${JSON.stringify(answer.body)}`,
    )
  }
  const validate = validatorOf(operation === undefined ? NO_OPERATION : `${operation.pointer}/${answer.status}`)
  if (!validate(answer.body)) {
    throw new Error(
      `${method} ${url} answered ${answer.status} with a body that does not fit the document: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(answer.body)}`,
    )
  }
}

function operationOf(method: string, url: string): Operation | undefined {
  const segments = (url.split('?', 1)[0] ?? '').split('/')
  const candidates = operations.filter(
    (operation) =>
      operation.method === method &&
      operation.segments.length === segments.length &&
      operation.segments.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== '')),
  )
  // A literal segment wins over a parameter.
  return candidates.toSorted((a, b) => parameters(a) - parameters(b))[0]
}

const parameters = ({ segments }: Operation): number => segments.filter((part) => part.startsWith('{')).length

/** The answer to an unknown path or a wrong method. */
const NO_OPERATION = 'openapi#/components/responses/Failure'

function validatorOf(pointer: string): ValidateFunction {
  const known = validators.get(pointer)
  if (known !== undefined) return known
  const response = resolve(pointer) as { $ref?: string }
  const target = response.$ref === undefined ? pointer : `openapi${response.$ref}`
  const validate = ajv.compile({ $ref: `${target}/content/${escapePointer('application/json')}/schema` })
  validators.set(pointer, validate)
  return validate
}

function resolve(pointer: string): unknown {
  return pointer
    .slice('openapi#/'.length)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], document)
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
