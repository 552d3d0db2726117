import { eventData } from '../events/index.ts'
import { takenOf } from '../order-states/index.ts'
import type { ReceivingKind } from '../receiving/index.ts'
import { returnUpdated } from './return-topics.ts'
import { returnedOf } from './returned-goods.ts'
import { returnLine, returnReceipt, returnSummary } from './schemas.ts'

/** What is received of a line, by what became of it. */
const BY_DISPOSITION = { restocked: 'restock', quarantined: 'quarantine', scrapped: 'scrap' } as const

/** The column of its disposition gets the amount. */
const byDisposition = (amount: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(BY_DISPOSITION).map(([column, disposition]) => [
      column,
      `case m.disposition when '${disposition}' then ${amount} else 0 end`,
    ]),
  )

/** With an order, no more comes back than was taken of it: only a surplus can be too much. Its returns are read after the order is locked. */
const IS_SURPLUS = 'r.order_id is not null and w.quantity > coalesce(l.total_open, 0)'
const IS_TOO_MUCH = `${returnedOf('r.order_id', 'w.product_id')} + w.quantity - coalesce(l.total_open, 0) > coalesce((
         select sum(${takenOf('o', 'x')}) from orders o join order_lines x on x.tenant_id = $1 and x.order_id = o.id
         where o.tenant_id = $1 and o.id = r.order_id and x.product_id = w.product_id
       ), 0)`

/** Goods that come back, with or without an order. */
export const RETURN: ReceivingKind = {
  name: 'return',
  tables: { records: 'returns', lines: 'return_lines', receipts: 'return_receipts' },
  errorCode: 'return_error',
  noun: 'return',
  reason: 'return',
  schemas: { record: returnSummary, line: returnLine, receipt: returnReceipt },
  recordFields: { order_id: 'r.order_id', order_tenant_id: 'r.order_tenant_id', reason: 'r.reason' },
  lineFields: {
    reason: 'l.reason',
    restocked_quantity: 'trim_scale(l.restocked)',
    quarantined_quantity: 'trim_scale(l.quarantined)',
    scrapped_quantity: 'trim_scale(l.scrapped)',
  },
  receiptFields: (receipt) => ({ disposition: `${receipt}.disposition` }),
  recordColumns: { order_id: 'bigint', order_tenant_id: 'text', reason: 'text' },
  lineColumns: { reason: 'text' },
  changeable: { expected_at: 'date', reason: 'text', allow_over: 'boolean' },
  copiedColumns: [],
  filters: {
    state: { type: 'text', condition: 'r.state = ?' },
    order_id: { type: 'bigint', condition: 'r.order_id = ?' },
    reference: { type: 'text', condition: 'r.reference = ?' },
  },
  updated: (previousState, now = {}) =>
    eventData(returnUpdated, {
      return_id: 'r.id',
      reference: 'r.reference',
      order_id: 'r.order_id',
      order_tenant_id: 'r.order_tenant_id',
      warehouse_id: 'r.warehouse_id',
      state: now.state ?? 'r.state',
      previous_state: previousState,
      total_quantity: 'r.total_quantity::float8',
      total_received: `${now.total_received ?? 'r.total_received'}::float8`,
      updated_at: now.updated_at ?? 'r.updated_at',
    }),
  receive: {
    isSame: ' and e.disposition = w.disposition',
    refusedLocations: `when w.disposition = 'restock' and not w.sellable then 'unsellable'
       when w.disposition = 'quarantine' and w.sellable is distinct from false then 'sellable'`,
    refusedQuantities: `when ${IS_SURPLUS} and ${IS_TOO_MUCH} then 'untaken'`,
    isStocked: `m.disposition <> 'scrap'`,
    orderId: 'r.order_id',
    addedToLine: byDisposition,
    otherLineChanges: () => '',
    newLine: byDisposition('m.quantity'),
    receiptColumns: ['disposition'],
    lockBefore: `select id from orders
     where tenant_id = $1 and id = (select order_id from returns where tenant_id = $1 and id = $2) for no key update`,
  },
  endLines: '',
}
