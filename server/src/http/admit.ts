import type { FastifyRequest } from 'fastify'
import type { ReplicaReads } from '../database/replica/replica-reads.ts'
import { ALL_KEYS } from '../database/replica/write-positions.ts'
import type { WebhookTargetPolicy } from '../delivery/index.ts'
import { AuditEntryPreface, type WrittenEntry, type AuditTrail } from '../domain/audit/index.ts'
import { beingMoved } from '../errors/being-moved.ts'
import { type CallContext, requireScope } from '../procedures/call-context.ts'
import type { BeginAudit, CallEntry } from '../procedures/change.ts'
import type { SessionRules } from '../procedures/context.ts'
import type { Endpoint } from '../procedures/endpoint.ts'
import type { Encryption } from '../runtime/encryption/encryption.ts'
import type { Shards } from '../shards/shards.ts'
import { readPieces } from './body/read-pieces.ts'
import type { Services } from './services.ts'

/** Creates the context of a call. Throws `insufficient_scope`. */
export type Admit = (request: FastifyRequest, endpoint: Endpoint) => CallContext

/** What the contexts of calls are made of. */
export interface AdmitOptions extends Pick<Services, 'trails' | 'positions' | 'feedHorizons'> {
  shards: Shards
  /** Of the directory: no other database can have a replica that this process knows. */
  replicaReads: ReplicaReads | undefined
  encryption: Encryption
  webhookTargets: WebhookTargetPolicy
  /** Removes an API key, and its sessions, from the caches of this process. */
  forgetKey: (keyId: number) => void
  sessionRules: SessionRules
  publicUrl: string | undefined
}

/** The function that admits authenticated calls. */
export function admitting(options: AdmitOptions): Admit {
  const { shards, trails, positions, feedHorizons, encryption, webhookTargets, forgetKey, sessionRules } = options
  return (request, endpoint) => {
    const { caller, id: requestId } = request
    requireScope(caller, endpoint)
    const db = shards.of(caller.tenantId)
    const primary = db.forTenant(caller.tenantId)
    const isInDirectory = db === shards.directory
    const replicaReads = isInDirectory ? options.replicaReads : undefined
    return {
      endpoint,
      db: primary,
      caller,
      requestId,
      encryption,
      webhookTargets,
      feedHorizon: feedHorizons.of(caller.tenantId),
      forgetKey,
      sessionRules,
      pagesOrigin: options.publicUrl ?? request.pageOrigin?.origin ?? `http://localhost:${request.socket.localPort}`,
      respondInPieces: (list) => {
        const onReplicaFailure = (error: unknown): void => replicaReads?.failed(error)
        const requireStill = (): void => {
          if (!shards.isIn(caller.tenantId, db)) throw beingMoved()
        }
        request.largeList = { field: list.field, pieces: readPieces(list, { primary, onReplicaFailure, requireStill }) }
      },
      beginAudit: auditOf(request, endpoint, trails.of(caller.tenantId)),
      beginChange: () =>
        isInDirectory ? positions.begin(endpoint.isSeenByAllKeys === true ? { ...caller, keyId: ALL_KEYS } : caller) : undefined,
      replicaReads,
    }
  }
}

function auditOf(request: FastifyRequest, { name: operation, path }: Endpoint, trail: AuditTrail): BeginAudit {
  const { caller, id: requestId, ip: address, routeOptions } = request
  const surface = caller.session?.surface ?? routeOptions.config.surface ?? 'api'
  return async (input, idempotencyKey, isAlone) => {
    const entry = await trail.begin({ caller, address, requestId, surface, operation, path, input, idempotencyKey }, isAlone)
    if (entry === undefined) return undefined
    return {
      entry: entryOf(entry, address),
      preface: entry instanceof AuditEntryPreface ? entry : undefined,
      addError: (error) => trail.failed(entry, error),
    }
  }
}

/** Reads the time of an entry when it is written, which for a preface is with the change. */
function entryOf(entry: WrittenEntry | AuditEntryPreface, address: string): CallEntry {
  return {
    id: entry.id,
    address,
    named: entry.names.length,
    get at() {
      return entry.at
    },
    async write() {
      if (entry instanceof AuditEntryPreface) await entry.run()
    },
  }
}
