import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { recordEvents } from '../events/index.ts'
import { recordEventPosition } from '../records/index.ts'
import type { ReceivingKind } from './kind.ts'
import { recordNotFound } from './read-record.ts'

/** What leads to each state in which a record is over: SQL for whether the record `r` may go there. */
const ENDS = {
  closed: { isAllowed: `r.state in ('expected', 'receiving')`, at: 'closed_at' },
  // Receiving goes back to it when every receipt is undone.
  cancelled: {
    isAllowed: `(r.state = 'expected' or r.state = 'receiving' and r.total_received = 0)`,
    at: 'cancelled_at',
  },
} as const

/**
 * The function that ends a record of a kind. In the state where it leads, it changes nothing. Throws `not_found`, and the error of the kind in
 * any other state.
 */
export function endingOf(kind: ReceivingKind, to: keyof typeof ENDS) {
  const { records } = kind.tables
  const { isAllowed, at } = ENDS[to]
  const end = statement<[tenantId: number, recordId: number, reason: string | null], { state: string; is_done: boolean }>({
    name: `end_${kind.name}_${to}`,
    connection: 'write',
    sql: `with locked as materialized (
     select r.*, ${isAllowed} as is_allowed from ${records} r where tenant_id = $1 and id = $2 for no key update
   ), ended as (
     update ${records} r set state = '${to}', ${at} = clock_timestamp(), updated_at = clock_timestamp(), cancellation_reason = $3::text
     from locked o where r.tenant_id = $1 and r.id = $2 and o.is_allowed
     returning r.*
   ), ${kind.endLines}record_event as (
     select ${recordEventPosition(kind.name, 'r.id')} as position, '${kind.name}/updated' as topic, ${kind.updated('o.state')} as data
     from ended r join locked o using (id)
   ), ${recordEvents('record_event')}
   select state, state = '${to}' or is_allowed as is_done from locked`,
  })
  return async (db: Queryable, tenantId: number, id: number, reason: string | null = null): Promise<void> => {
    const row = await db.runOne(end, [tenantId, id, reason])
    if (row === undefined) throw recordNotFound(kind)
    if (!row.is_done) throw new ServiceError(kind.errorCode, refusalOf(kind, to, row.state))
  }
}

function refusalOf({ noun }: ReceivingKind, to: keyof typeof ENDS, state: string): string {
  return to === 'cancelled' && state === 'receiving'
    ? `Goods of the ${noun} were received: undo its receipts, or close it`
    : `The ${noun} is ${state} and cannot be ${to}`
}
