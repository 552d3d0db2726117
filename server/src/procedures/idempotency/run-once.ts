import { createHash } from 'node:crypto'
import { TRPCError } from '@trpc/server'
import { retried } from '../../database/connections/retried.ts'
import { isRetryable, isUnavailable } from '../../database/errors.ts'
import { KeyTakenError } from '../../database/keyed-calls/claim-keys.ts'
import { OtherResponseStoredError } from '../../database/keyed-calls/keep-responses.ts'
import { KeyedCall } from '../../database/keyed-calls/keyed-call.ts'
import { beingMoved } from '../../errors/being-moved.ts'
import type { CallContext, CallResult, ProcedureContext } from '../call-context.ts'
import { KeyHasResponseError } from '../change.ts'
import { textOf } from '../json-text.ts'
import { KeyedQueries } from './keyed-queries.ts'
import { runOutsideTransaction } from './run-outside-transaction.ts'
import { stillRunning, storedResponse } from './stored-response.ts'

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  key: string
  /** Equal for equal requests. */
  fingerprint: string
}

/** The fields of the context that are replaced for a call with a key. */
type Once = Pick<CallContext, 'db' | 'forgetKey' | 'sessionRules'>
type Work = (once: Once) => Promise<unknown>

/** The audit entry of a call was left out for a stored response, which is not there. Nothing was changed. */
class StoredResponseGoneError extends Error {}

/** Runs the work of a call once for all requests of a tenant with the same key. */
export class RunOnce {
  /** Keys of the calls that are running in this process. Postgres knows those of all processes, but only from the beginning of their transactions. */
  readonly #running = new Set<string>()

  /** Runs a call's work, or returns the stored response. Throws `idempotency_conflict`. */
  async run(context: ProcedureContext, { key, fingerprint }: KeyedRequest, work: Work): Promise<CallResult> {
    const { tenantId } = context.caller
    const name = `${tenantId} ${key}`
    if (this.#running.has(name)) throw stillRunning()
    this.#running.add(name)
    try {
      const requestHash = createHash('sha256').update(fingerprint).digest()
      if (context.endpoint.outsideTransaction === true)
        return await runOutsideTransaction(context, { tenantId, key, requestHash }, () => work(context))
      const attempt = (): Promise<CallResult> =>
        retried(
          () => runInTransaction(context, new KeyedCall(tenantId, key, requestHash), work),
          (error) => error instanceof OtherResponseStoredError || isRetryable(error),
        )
      try {
        return await attempt()
      } catch (error) {
        return await onceMore(error, context, attempt)
      }
    } finally {
      this.#running.delete(name)
    }
  }
}

/**
 * Runs a call again whose stored response expired after it was found. If there is no response then either, the fence of a tenant that is being moved left
 * out the audit entry.
 */
async function onceMore(error: unknown, { change }: ProcedureContext, attempt: () => Promise<CallResult>): Promise<CallResult> {
  if (!(error instanceof StoredResponseGoneError)) throw error
  change?.beginAgain()
  try {
    return await attempt()
  } catch (again) {
    throw again instanceof StoredResponseGoneError ? beingMoved() : again
  }
}

/** The work and its response are in one transaction: after a crash, both exist or neither. */
async function runInTransaction(context: ProcedureContext, keyed: KeyedCall, work: Work): Promise<CallResult> {
  const db = new KeyedQueries(context.db, keyed)
  const afterCommit: (() => void)[] = []
  const { forgetKey, sessionRules } = context
  try {
    const data = await work({
      db,
      forgetKey: (keyId) => void afterCommit.push(() => forgetKey(keyId)),
      sessionRules: { ...sessionRules, forget: (...session) => void afterCommit.push(() => sessionRules.forget(...session)) },
    })
    await db.keep(context.encryption.encrypt(textOf(data)))
    // If a revoked key or an ended session were read again earlier, it would be cached as valid.
    for (const forget of afterCommit) forget()
    return { data, isReplayed: false }
  } catch (error) {
    await db.abandon()
    if (keyed.isClaimed && isUnavailable(error)) throw error
    return await insteadOf(error, context, keyed)
  }
}

/**
 * The result of a call that failed, or whose key another request had. A stored response takes precedence over any error of the request, also
 * if the call had its key: the first request may have ended just before that, and its change may be why this one failed.
 */
async function insteadOf(error: unknown, { db, encryption, change }: ProcedureContext, keyed: KeyedCall): Promise<CallResult> {
  const cause = error instanceof TRPCError ? error.cause : error
  const isTaken = cause instanceof KeyTakenError
  const stored = await storedResponse(db, encryption, keyed)
  if (stored !== undefined) {
    // If the call has an audit entry, record that it changed nothing.
    change?.failed('idempotency_conflict')
    return stored
  }
  if (isTaken) throw stillRunning()
  throw cause instanceof KeyHasResponseError ? new StoredResponseGoneError() : error
}
