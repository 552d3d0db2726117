import type { Step } from '../connections/chain.ts'
import type { Transaction } from '../connections/queryable.ts'
import { tryTenantLock } from '../locks.ts'
import { statement } from '../statements/statement.ts'
import type { KeyedCall } from './keyed-call.ts'

/** The call does not run because another request with its key is running. */
export class KeyTakenError extends Error {
  constructor() {
    super('The Idempotency-Key is taken')
    this.name = 'KeyTakenError'
  }
}

/**
 * Returns the keys that another request has locked. Stored responses are not checked here: they were looked up before, and one stored since
 * then is found when this call stores its own.
 */
const claim = statement<[tenantId: number, keys: string[]], { position: number }>({
  name: 'claim_idempotency_keys',
  connection: 'write',
  sql: `with claimed as materialized (
     select w.position, ${tryTenantLock('idempotencyKey', 'w.key')} as locked from unnest($2::text[]) with ordinality w (key, position)
   )
   select position::int - 1 as position from claimed where not locked`,
})

/** The same, as a guard of the statement behind it: divides by zero when another request has locked one of the keys. */
const claimAll = statement<[tenantId: number, keys: string[]], never>({
  name: 'claim_all_idempotency_keys',
  connection: 'write',
  sql: `select from unnest($2::text[]) key where 1 / ${tryTenantLock('idempotencyKey', 'key')}::int = 0`,
})

/** The guard that locks the keys of these calls. They count as claimed until it fails; `claimKeys` then tells which calls have their key. */
export function claimingAll(calls: readonly { readonly keyed: KeyedCall }[]): Step {
  for (const { keyed } of calls) keyed.isClaimed = true
  return { statement: claimAll, values: [calls[0]?.keyed.tenantId, calls.map(({ keyed }) => keyed.key)] }
}

/**
 * Begins a transaction of calls of one tenant by locking their keys until its end. Returns the calls that may run; the others are marked as
 * not claimed. Waits for no lock.
 */
export async function claimKeys<Call extends { readonly keyed: KeyedCall }>(
  tx: Transaction,
  calls: readonly Call[],
): Promise<Call[]> {
  const [first] = calls
  if (first === undefined) return []
  const taken = await tx.runFirst(claim, [first.keyed.tenantId, calls.map(({ keyed }) => keyed.key)])
  const positions = new Set(taken.map(({ position }) => position))
  for (const [position, { keyed }] of calls.entries()) keyed.isClaimed = !positions.has(position)
  return calls.filter(({ keyed }) => keyed.isClaimed)
}
