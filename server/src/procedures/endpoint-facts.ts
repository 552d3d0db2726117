import type { CallerOperator, Scope } from './context.ts'
import type { ErrorCode } from '../errors/error-codes.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The announced removal of an endpoint. */
export interface Deprecation {
  /** First day of the deprecation, UTC: `2027-01-31`. */
  since: string
  /** First day on which it may be removed, UTC. */
  sunset?: string
  /** URL of a page that names the replacement. */
  link: string
}

/** The properties of an endpoint that REST, the OpenAPI document and the pipeline use. */
export interface EndpointFacts {
  /** `orders.cancel`: the `operationId` in the document, the procedure's path in `/trpc` and the operation in the audit log. */
  name: string
  /** The scope that a key needs to call it. */
  scope: Scope
  /** `GET` reads. Every other method changes data, and its calls are recorded in the audit log, unless `changesNothing`. */
  method: HttpMethod
  /** The path below `/api/v1`, with path parameters in braces: `/orders/{id}`. */
  path: `/${string}`
  summary: string
  description: string
  /** The endpoint's own error codes. The document adds those of every endpoint. */
  errors?: readonly ErrorCode[]
  /** Whether it is missing from the published API specification. The document marks it. */
  isAddition?: boolean
  deprecated?: Deprecation
  /** Converts a body that is not an object with the input's fields into such an object. */
  inputOfBody?: (body: unknown) => unknown
  /** Fields that a call of a device takes from its operator, whatever it sends. */
  inputOfOperator?: (operator: CallerOperator) => Record<string, unknown>
  /** For a check: a POST that changes nothing. Its calls are not in the audit log, and replicas need not wait for them. */
  changesNothing?: true
  /** The input's array of items, if errors are reported by their position in it, as `{ index, error }`. */
  itemsField?: string
  /** For a change that is one batched statement. A caller alone sends its audit entry and the statement as one message to the database. */
  isOneStatement?: true
  /** For endpoints that call other servers or commit in steps. They run outside of a transaction, even with an `Idempotency-Key`. */
  outsideTransaction?: boolean
  /** For endpoints that call other servers before their first statement, and not later. Their change and its stored response are still one transaction. */
  waitsFirst?: true
  /** Whether all keys of the tenant must see the change, also where they read from a replica; without it, only the caller's key. */
  isSeenByAllKeys?: boolean
  /**
   * Whether the endpoint may read from a replica, which can lag slightly; a function if this depends on the input. For lists and reports,
   * which are the most expensive reads. Single records and current stock are read from the primary, because callers base decisions on them.
   * So are the event feed, whose readers must not get a later event before an earlier one, and keys and subscriptions, where looking up the
   * key's write position would cost as much as the read.
   */
  readsReplica?: true | ((input: object) => boolean)
}

/** An endpoint's name, and whether it changes data. */
export interface NamedEndpoint extends EndpointFacts {
  type: 'query' | 'mutation'
}

/** Whether a call may wait for other servers, without the processor. */
export const mayWait = ({ outsideTransaction, waitsFirst }: EndpointFacts): boolean =>
  outsideTransaction === true || waitsFirst === true
