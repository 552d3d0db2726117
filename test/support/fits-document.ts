import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  method: string
  segments: string[]
  pointer: string
  statuses: Set<string>
}

/** The response to an unknown path or a wrong method. */
const NO_OPERATION = 'openapi#/components/responses/Failure'

/** Headers that tell clients what to do. The document must name them wherever they are sent. */
const OWN_HEADERS = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  'Allow',
]

/** A response; without headers if they are not to be compared. */
export interface SentResponse {
  status: number
  body: unknown
  headers?: Headers
}

/** Responses as an OpenAPI document describes them. */
export class DocumentedResponses {
  readonly #document: Record<string, unknown>
  readonly #ajv: Ajv2020
  readonly #operations: Operation[]
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(document: Record<string, unknown>) {
    this.#document = document
    // `npm run lint:openapi` validates the document. Validating it here would take a tenth of a second in every test file.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, code: { optimize: false } })
    addFormats.default(this.#ajv)
    this.#ajv.addSchema(document, 'openapi')
    this.#operations = Object.entries(document.paths as Record<string, Record<string, { responses: object }>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { responses }]) => ({
          method: method.toUpperCase(),
          segments: path.split('/'),
          pointer: `openapi#/paths/${escapePointer(path)}/${method}/responses`,
          statuses: new Set(Object.keys(responses)),
        })),
    )
  }

  /** Throws unless the document has the operation with this status and the headers that were sent, and the body matches its schema. */
  assertFits(method: string, url: string, response: SentResponse): void {
    if (method === 'HEAD') return
    const operation = this.#operationOf(method, url)
    if (operation !== undefined && !operation.statuses.has(String(response.status))) {
      throw new Error(
        `${method} ${url} responded with ${response.status}, which the document does not have: ${JSON.stringify(response.body)}`,
      )
    }
    const pointer = operation === undefined ? NO_OPERATION : `${operation.pointer}/${response.status}`
    const missing = this.#headersMissingIn(pointer, response.headers)
    if (missing.length > 0)
      throw new Error(
        `${method} ${url} responded with ${response.status} with headers that the document does not have: ${missing.join(', ')}`,
      )
    const validate = this.#validatorOf(pointer)
    if (!validate(response.body)) {
      throw new Error(
        `${method} ${url} responded with ${response.status} with a body that does not fit the document: ${this.#ajv.errorsText(validate.errors)} in ${JSON.stringify(response.body)}`,
      )
    }
  }

  #operationOf(method: string, url: string): Operation | undefined {
    const segments = (url.split('?', 1)[0] ?? '').split('/')
    const candidates = this.#operations.filter(
      (operation) =>
        operation.method === method &&
        operation.segments.length === segments.length &&
        operation.segments.every((part, index) => part === segments[index] || (part.startsWith('{') && segments[index] !== '')),
    )
    // A literal segment takes precedence over a parameter.
    return candidates.toSorted((a, b) => parameters(a) - parameters(b))[0]
  }

  #headersMissingIn(pointer: string, headers = new Headers()): string[] {
    const { headers: documented = {} } = this.#resolve(this.#targetOf(pointer)) as { headers?: object }
    return OWN_HEADERS.filter((name) => headers.has(name) && !(name in documented))
  }

  #validatorOf(pointer: string): ValidateFunction {
    const known = this.#validators.get(pointer)
    if (known !== undefined) return known
    const validate = this.#ajv.compile({ $ref: `${this.#targetOf(pointer)}/content/${escapePointer('application/json')}/schema` })
    this.#validators.set(pointer, validate)
    return validate
  }

  /** The response itself, where the document refers to a component. */
  #targetOf(pointer: string): string {
    const { $ref } = this.#resolve(pointer) as { $ref?: string }
    return $ref === undefined ? pointer : `openapi${$ref}`
  }

  #resolve(pointer: string): unknown {
    return pointer
      .slice('openapi#/'.length)
      .split('/')
      .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], this.#document)
  }
}

const parameters = ({ segments }: Operation): number => segments.filter((part) => part.startsWith('{')).length

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
