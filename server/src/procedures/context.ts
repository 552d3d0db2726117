import type { Queryable } from '../database/database.ts'
import type { WebhookTargetPolicy } from '../delivery/index.ts'
import type { CallEntry } from './change.ts'
import type { Encryption } from '../runtime/encryption/encryption.ts'

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

/** The caller of a request: the API key, and the tenant or sandbox whose data it uses. */
export interface Caller {
  readonly tenantId: number
  readonly mode: 'live' | 'test'
  readonly defaultWarehouse: { readonly id: number; readonly name: string }
  readonly keyId: number
  readonly keyName: string
  readonly scopes: readonly Scope[]
  /** Undefined when the key itself calls. */
  readonly session?: CallerSession
  /** A replica must have replayed the log up to here: a page saw a change that was made before. */
  readonly readsAfter?: number
}

/** The tenant of the caller's key, also where the session of a live key works with test data. */
export const tenantOfKey = ({ tenantId, session }: Pick<Caller, 'tenantId' | 'session'>): number => session?.tenantId ?? tenantId

/** The session of a page. Its calls have the rights of its key. */
export interface CallerSession {
  readonly id: number
  /** The tenant of the session. It is the tenant of its key, even if the call uses the sandbox. */
  readonly tenantId: number
  readonly surface: 'dashboard' | 'scan'
  /** The operator for whom a device calls; null for the dashboard. */
  readonly operator: CallerOperator | null
}

/** An operator who signed in on a device. */
export interface CallerOperator {
  readonly id: number
  readonly email: string
  /** Whether another operator has signed in since. The device then sends what it kept, for the operator's own flows alone. */
  readonly isFormer: boolean
}

/** Settings and functions for endpoints about sessions. */
export interface SessionRules {
  /** A dashboard session ends when it is unused for this long. */
  idleHours: number
  /** Removes a session from this process's cache. Called when the session was ended. */
  forget(tenantId: number, sessionId: number): void
}

/** A list of a response that is too large to be read at once. */
export interface ListInPieces<Piece> {
  /** The field of the response that the list is sent as. */
  field: string
  /** The database that the call reads. */
  db: Queryable
  /** What the items of each piece are read by, in the order of the list. */
  pieces: Iterable<Piece>
  /** Reads the items of a piece: from `db`, or from the primary when a replica fails. */
  read: (db: Queryable, piece: Piece) => Promise<unknown[]>
}

/** The items of a list in a response, read in pieces while they are sent. */
export interface LargeList {
  field: string
  pieces: AsyncIterable<unknown[]>
}

/** The context of a call, passed to every endpoint besides its input. */
export interface RequestContext {
  readonly db: Queryable
  /** Whether `db` is a replica's. Its data may be older. */
  readonly isReplica?: boolean
  readonly caller: Caller
  readonly requestId: string
  readonly encryption: Encryption
  readonly webhookTargets: WebhookTargetPolicy
  /** The position up to which the event feed may be read. */
  readonly feedHorizon: FeedReader
  /** Sends the response in pieces, because it is large: `list` is sent as the field that it names. */
  readonly respondInPieces: <Piece>(list: ListInPieces<Piece>) => void
  /** Removes an API key from this process's cache. Called when the key is revoked. */
  readonly forgetKey: (keyId: number) => void
  readonly sessionRules: SessionRules
  /** The origin of the pages: `https://stock.example` */
  readonly pagesOrigin: string
  /** The change of a write, with its audit entry. */
  readonly change?: { readonly entry: CallEntry | undefined } | undefined
}

/** The event numbers up to which the feed may be read. */
export interface FeedBounds {
  /** Identifies the database server and its last loss of data. The bounds are only valid for it. */
  server: string
  /** No event up to this number can still appear. */
  final: number
  /** The last number taken. If a later snapshot has no transaction in progress, no event up to this number can still appear. */
  latest: number
}

/** The process's view of the feed's horizon: see domain/events/feed-horizon.ts. */
export interface FeedReader {
  bounds(): Promise<FeedBounds>
  catchUp(latest: number): Promise<void>
  wasRead(server: string, upTo: number | null | undefined): void
}
