import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Settings } from './schemas.ts'

const selectSettings = statement<[tenantId: number], Settings>({
  name: 'get_settings',
  connection: 'read',
  sql: `select reservation_policy, case reservation_phase when 'ready' then 'ready' else 'switching' end as reservation_state, weight_barcodes, updated_at
   from tenant_settings where tenant_id = $1`,
})

const DEFAULTS: Settings = { reservation_policy: 'off', reservation_state: 'ready', weight_barcodes: [], updated_at: null }

/** The settings of a tenant. */
export async function readSettings(db: Queryable, tenantId: number): Promise<Settings> {
  return (await db.runOne(selectSettings, [tenantId])) ?? DEFAULTS
}
