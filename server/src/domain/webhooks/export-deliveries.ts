import { statement } from '../../database/statements/statement.ts'
import { exportedList } from '../../procedures/exported-list.ts'
import { DELIVERY_COLUMNS, deliveryOf, type DeliveryRow } from './delivery-row.ts'
import { delivery, listDeliveriesInput } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

const BATCH = 1_000
/** Before the newest delivery. */
const FIRST = { at: 'infinity', id: '' }

const exportDeliveries = statement<
  [
    tenantId: number,
    subscriptionId: number,
    positionAt: string,
    positionId: string,
    state: string | undefined,
    topic: string | undefined,
    limit: number,
  ],
  DeliveryRow & { position_at: string }
>({
  name: 'export_deliveries',
  connection: 'slow',
  sql: `select ${DELIVERY_COLUMNS.join(', ')}, event_created_at::text as position_at from webhook_deliveries
   where tenant_id = $1 and subscription_id = $2 and (event_created_at, event_id) < ($3::timestamptz, $4::text)
     and ($5::text is null or state = $5) and ($6::text is null or topic = $6)
   order by event_created_at desc, event_id desc limit $7`,
})

/** The deliveries of a subscription, newest event first. */
export const exportedDeliveries = exportedList({
  name: 'deliveries',
  scope: 'read:webhooks',
  query: listDeliveriesInput,
  columns: Object.keys(delivery.shape),
  async *read(db, tenantId, { id, state, event }) {
    let position = FIRST
    for (;;) {
      const values = [tenantId, subscriptionIdOf(id), position.at, position.id, state, event, BATCH] as const
      const rows = await db.run(exportDeliveries, [...values])
      yield rows.map((row) => ({ ...deliveryOf(row) }))
      const last = rows.at(-1)
      if (last === undefined || rows.length < BATCH) return
      position = { at: last.position_at, id: last.event_id }
    }
  },
})
