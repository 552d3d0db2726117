import type { Data, Request } from './operation.ts'

/*
 * Calls over the Model Context Protocol: section 14 of the extensions. A tool takes the parameters of the path and the query and the fields of the
 * body as its arguments, and answers as the operation does.
 */

interface Documented {
  /** Between the slashes of the path. */
  segments: string[]
  /** The type of each parameter in the query. */
  query: Map<string, string>
}

/** What an agent must not be talked into. */
const DOORS = new Set(['api-keys', 'operators', 'devices', 'sessions'])
const READ_ONLY = new Set(['webhooks', 'settings'])

/** The tools that agents have, by the `operationId` in the document. */
export class Tools {
  readonly #documented = new Map<string, Documented>()

  constructor(document: Record<string, unknown>) {
    for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Data>>))
      for (const [method, { operationId, parameters = [] }] of Object.entries(methods)) {
        const segments = path.split('/')
        const tag = segments[1] ?? ''
        const query = parameters.filter((one: Data) => one.in === 'query').map((one: Data) => [one.name, one.schema.type])
        if (DOORS.has(tag) || (READ_ONLY.has(tag) && method !== 'get')) continue
        this.#documented.set(operationId, { segments, query: new Map(query) })
      }
  }

  /** The call as one of a tool, or undefined if agents do not have it. */
  callOf(operationId: string, { method, path, body }: Request): Request | undefined {
    const documented = this.#documented.get(operationId)
    if (documented === undefined) return undefined
    const [address = '', query = ''] = path.split('?', 2)
    const given = address.split('/').map(decodeURIComponent)
    const inPath = documented.segments.flatMap((part, index): [string, unknown][] =>
      part.startsWith('{') ? [[part.slice(1, -1), asNumber(given[index] ?? '')]] : [],
    )
    const parameters = new URLSearchParams(query)
    const inQuery = [...documented.query].flatMap(([name, type]): [string, unknown][] => {
      const values = parameters.getAll(name)
      if (values.length === 0) return []
      return [
        [
          name,
          type === 'array'
            ? values
            : type === 'integer'
              ? Number(values[0])
              : type === 'boolean'
                ? values[0] === 'true'
                : values[0],
        ],
      ]
    })
    return {
      method,
      path,
      body,
      tool: {
        name: operationId.replaceAll('.', '_'),
        arguments: { ...argumentsOf(operationId, body), ...Object.fromEntries([...inPath, ...inQuery]) },
      },
    }
  }
}

/** An id of digits is a number or a text; a model sends either. */
const asNumber = (value: string): string | number => (/^\d{1,15}$/.test(value) ? Number(value) : value)

/** A tool takes orders in the one form that is an object. */
function argumentsOf(operationId: string, body: unknown): object {
  if (operationId !== 'orders.create') return body ?? {}
  if (Array.isArray(body)) return { orders: body }
  return 'orders' in (body as object) ? (body as object) : { orders: [body] }
}

/** The body of a request of the protocol. */
export const toolMessage = (id: string, tool: NonNullable<Request['tool']>, idempotencyKey: string | undefined): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: {
    name: tool.name,
    arguments: { ...tool.arguments, ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }) },
  },
})

const STATUSES: Record<string, number> = { service_unavailable: 503, internal_error: 500 }

/** What REST would answer, or undefined if the message is no result of the request. Of a failure, the status is only known roughly. */
export function answerOfTool(
  id: string,
  { id: given, result }: Data,
): { status: number; isRunning: boolean; body: Data } | undefined {
  const text = result?.content?.[0]?.text
  if (given !== id || text === undefined || result.content.length !== 1) return undefined
  if (result.isError === true) {
    const error = JSON.parse(text)
    const isRunning = error.code === 'idempotency_conflict' && error.message.includes('still running')
    return { status: isRunning ? 409 : (STATUSES[error.code] ?? 400), isRunning, body: { success: false, error } }
  }
  if (text !== JSON.stringify(result.structuredContent)) return undefined
  return { status: 200, isRunning: false, body: { success: true, data: result.structuredContent } }
}
