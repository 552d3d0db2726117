import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'

const findPhase = statement<[tenantId: number], { phase: string }>({
  name: 'find_reservation_phase',
  connection: 'read',
  sql: `select reservation_phase as phase from tenant_settings where tenant_id = $1 and reservation_policy <> 'off'`,
})

/** What the tenant's reserving is at: `ready`, or a phase of being switched on. Undefined under the policy `off`. */
export async function reservationPhase(db: Queryable, tenantId: number): Promise<string | undefined> {
  return (await db.runOne(findPhase, [tenantId]))?.phase
}
