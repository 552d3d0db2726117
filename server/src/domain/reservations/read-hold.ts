import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { HOLD_COLUMNS } from './hold-columns.ts'
import type { Hold } from './schemas.ts'

const selectHold = statement<[tenantId: number, holdId: number], Hold>({
  name: 'get_hold',
  // A hold with many lines takes long.
  connection: 'slow',
  // A hold has at least one line.
  notNull: ['lines'],
  sql: `select ${HOLD_COLUMNS} from holds h where h.tenant_id = $1 and h.id = $2`,
})

/** A hold. Throws `not_found`. */
export async function readHold(db: Queryable, tenantId: number, holdId: number): Promise<Hold> {
  const [hold] = await db.run(selectHold, [tenantId, holdId])
  if (hold === undefined) throw holdNotFound()
  return hold
}

/** The error for a hold that the tenant does not have. */
export const holdNotFound = (): ServiceError => new ServiceError('not_found', 'Hold not found')
