import type { FastifyRequest } from 'fastify'
import { endSessionOf, type EndedSession, type SessionToken } from '../../domain/sessions/index.ts'
import type { Shards } from '../../shards/shards.ts'

type Kind = 'dashboard' | 'device'

/** Ends the session of a token, in the database of its tenant. */
export async function endSession(
  shards: Shards,
  token: SessionToken,
  { ip: address, id: requestId }: FastifyRequest,
  kind: Kind,
): Promise<EndedSession[]> {
  const db = shards.of(token.tenantId).forTenant(token.tenantId)
  return await db.transaction((tx) => endSessionOf(tx, token, { address, requestId, kind }))
}

/**
 * Ends the session that a browser had with a tenant of another shard than the new one: the transaction that starts the new one cannot. The
 * browser has lost its token in any case, so a failure is only logged.
 */
export async function endSessionElsewhere(
  shards: Shards,
  former: SessionToken | undefined,
  tenantId: number,
  request: FastifyRequest,
  kind: Kind,
): Promise<EndedSession[]> {
  try {
    if (former === undefined || shards.of(former.tenantId) === shards.of(tenantId)) return []
    return await endSession(shards, former, request, kind)
  } catch (error) {
    request.log.warn({ err: error }, 'could not end the session that the browser had before')
    return []
  }
}
