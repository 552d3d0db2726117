import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { HOLD_STATE } from './hold-columns.ts'
import type { LockedHold } from './fill-hold.ts'
import { holdNotFound } from './read-hold.ts'
import type { Hold } from './schemas.ts'

const selectLocked = statement<[tenantId: number, holdId: number], { id: number; warehouse_id: number }>({
  name: 'lock_hold',
  connection: 'write',
  sql: 'select id, warehouse_id from holds where tenant_id = $1 and id = $2 for no key update',
})

const selectState = statement<[tenantId: number, holdId: number], { state: Hold['state'] }>({
  name: 'find_hold_state',
  connection: 'read',
  sql: `select ${HOLD_STATE} as state from holds h where h.tenant_id = $1 and h.id = $2`,
})

/** Locks a hold, in a transaction, before its totals. Throws `not_found`. */
export async function lockHold(tx: Queryable, tenantId: number, id: number): Promise<LockedHold> {
  const row = await tx.runOne(selectLocked, [tenantId, id])
  if (row === undefined) throw holdNotFound()
  return { tenantId, id, warehouseId: row.warehouse_id }
}

/** The state of a locked hold. Only time changes it: read it again after waiting for another lock. */
export async function stateOf(tx: Queryable, { tenantId, id }: LockedHold): Promise<Hold['state']> {
  return ((await tx.runOne(selectState, [tenantId, id])) as { state: Hold['state'] }).state
}
