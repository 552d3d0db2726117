import type { Queryable } from './database/database.ts'
import type { ReplicaReads } from './database/replica-reads.ts'
import type { Change } from './database/write-positions.ts'
import type { Encryption } from './encryption.ts'
import type { FeedHorizon } from './events/index.ts'
import type { Names } from './webhooks/index.ts'

/** The scopes that a key can have. `admin` grants all of them. */
export const SCOPES = [
  'read:orders',
  'write:orders',
  'read:products',
  'write:products',
  'read:stock',
  'write:stock',
  'read:webhooks',
  'write:webhooks',
  'admin',
] as const
export type Scope = (typeof SCOPES)[number]

/** Who makes a request: the API key and the tenant, or the tenant's sandbox, on whose data it works. */
export interface Caller {
  readonly tenantId: number
  readonly mode: 'live' | 'test'
  readonly defaultWarehouse: { readonly id: number; readonly name: string }
  readonly keyId: number
  readonly keyName: string
  readonly scopes: readonly Scope[]
}

/** The items of an answer's list, read piece by piece as they are sent. */
export interface LargeList {
  field: string
  pieces: AsyncIterable<unknown[]>
}

/** What every domain function gets besides its input. */
export interface RequestContext {
  readonly db: Queryable
  readonly caller: Caller
  readonly requestId: string
  readonly encryption: Encryption
  readonly webhookTargets: WebhookTargetPolicy
  /** Up to where the event feed may be read. */
  readonly feedHorizon: Pick<FeedHorizon, 'bounds' | 'catchUp' | 'wasRead'>
  /** For an answer that is too large for one piece: `list` takes the place of the field that it names. */
  readonly answerInPieces: (list: LargeList) => void
  /** Makes this process ask the database again for an API key: called when it was revoked. */
  readonly forgetKey: (keyId: number) => void
}

/** What a procedure gets: the context, and what it needs besides the domain function that it calls. */
export interface CallContext extends RequestContext {
  /** Puts the call into the audit log. What it returns adds the code of the error with which the call ended. */
  readonly beginAudit: (operation: string, input: unknown) => Promise<(error: string) => void>
  /** To be called before anything is changed, and ended when that is committed; undefined while no server reads from a replica. */
  readonly beginChange: () => Change | undefined
  /** Undefined without a replica. */
  readonly replicaReads: ReplicaReads | undefined
}

/** Which receiver addresses webhooks may have, and how those of a host name are found. */
export interface WebhookTargetPolicy {
  readonly allowPrivateNetwork: boolean
  readonly requireHttps: boolean
  readonly names: Names
}
