import type { Transaction } from '../../database/connections/queryable.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEntry } from '../audit/index.ts'
import type { SessionToken } from './session-token.ts'

/** A session that was ended, for what this process remembers of it. */
export interface EndedSession {
  tenantId: number
  id: number
}

const endByToken = statement<[tenantId: number, hash: Buffer, kind: string], { id: number; key_id: number; key_name: string }>({
  name: 'end_session_of_token',
  connection: 'write',
  sql: `update sessions s set ended_at = now() from api_keys k
   where s.tenant_id = $1 and s.token_hash = $2 and s.kind = $3 and s.ended_at is null
     and k.tenant_id = s.tenant_id and k.id = s.key_id
   returning s.id, s.key_id, k.name as key_name`,
})

/** Ends the session of a token, if it has not ended, and writes that to the audit log. */
export async function endSessionOf(
  tx: Transaction,
  { tenantId, hash }: SessionToken,
  { address, requestId, kind }: { address: string; requestId: string; kind: 'dashboard' | 'device' },
): Promise<EndedSession[]> {
  const row = await tx.runOne(endByToken, [tenantId, hash, kind])
  if (row === undefined) return []
  const { id, key_id: keyId, key_name: keyName } = row
  const surface = kind === 'device' ? 'scan' : kind
  const actor = { tenantId, keyId, keyName, address, requestId, surface, sessionId: id } as const
  await recordEntry(tx, { ...actor, operation: 'sessions.end', input: { id } })
  return [{ tenantId, id }]
}
