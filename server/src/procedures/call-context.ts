import type { ReplicaReads } from '../database/replica/replica-reads.ts'
import type { Change } from '../database/replica/write-positions.ts'
import type { BeginAudit, RecordedChange } from './change.ts'
import type { Caller, RequestContext } from './context.ts'
import type { NamedEndpoint } from './endpoint-facts.ts'
import { ServiceError } from '../errors/service-error.ts'

/** The context of an authorized call. Made by `admit` for REST, /trpc and /mcp, after the scope check. */
export interface CallContext extends RequestContext {
  /** The called endpoint. */
  readonly endpoint: NamedEndpoint
  readonly beginAudit: BeginAudit
  /** Notes a change before it begins, and ends the note after the commit. Undefined while no server reads from a replica. */
  readonly beginChange: () => Change | undefined
  /** Undefined without a replica. */
  readonly replicaReads: ReplicaReads | undefined
}

/** The context in which an endpoint's `execute` or its tRPC procedure runs. */
export interface ProcedureContext extends CallContext {
  /** Undefined for a read. */
  readonly change: RecordedChange | undefined
}

/** The result of a call. */
export interface CallResult {
  data: unknown
  /** Whether it is the stored response of an earlier request with the same `Idempotency-Key`. */
  isReplayed: boolean
}

/** Whether the caller's key has the scope of an endpoint, or `admin`. */
export function isAllowed({ scopes }: Pick<Caller, 'scopes'>, { scope }: Pick<NamedEndpoint, 'scope'>): boolean {
  return scopes.includes(scope) || scopes.includes('admin')
}

/** Throws `insufficient_scope` unless the caller's key has the scope of the endpoint or `admin`. */
export function requireScope(caller: Pick<Caller, 'scopes'>, endpoint: Pick<NamedEndpoint, 'scope'>): void {
  if (!isAllowed(caller, endpoint)) throw new ServiceError('insufficient_scope', `This API key lacks the scope ${endpoint.scope}`)
}
