import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import {
  earlierRecord,
  findOrderBy,
  findReferenceIn,
  hashOf,
  type NamedOrder,
  namedUnlessUsed,
  recordEventPosition,
  requireOrder,
} from '../records/index.ts'
import { requireUncancelled } from './order-lock.ts'
import { contentOf, findPacked, packedValues, requireLines, requireRoom } from './packed-goods.ts'
import { NEXT_VALUE, PACKED, type PackedValues, packagesFor, TOO_MUCH, type TooMuch } from './packing-parts.ts'
import { readShipment } from './read-shipment.ts'
import { createShipmentInput, shipment, type Shipment } from './schemas.ts'
import { shipmentUpdatedData } from './shipment-json.ts'
import { statusOf } from './shipment-status.ts'

/** Shipments per order, cancelled ones included: each read of the order adds them up. Parallel calls can exceed it by a few. */
const MAX_SHIPMENTS = 1_000

const findByReference = findReferenceIn('shipments')

/** Locks the order, so that what is read of its shipments afterwards stays until the end of the transaction. */
const lockOrder = statement<
  [tenantId: number, orderId: number | null, orderTenantId: string | null],
  NamedOrder & { state_id: number; is_same: boolean | null; is_full: boolean }
>({
  name: 'lock_order_to_pack',
  connection: 'write',
  sql: `${findOrderBy(`id, order_tenant_id, warehouse_id, state_id,
     exists (select from shipments s where s.tenant_id = $1 and s.order_id = orders.id offset ${MAX_SHIPMENTS - 1}) as is_full`)} for no key update`,
})

const STATUS = statusOf(`select state, total_quantity from shipments where tenant_id = $1 and order_id = $2
         union all select state, total_quantity from new_record`)

const insert = statement<
  [...PackedValues, reference: string | null, sent: Buffer, meant: Buffer, createdBy: string],
  TooMuch & { id: number | null }
>({
  name: 'insert_shipment',
  connection: 'write',
  sql: `with ${PACKED}, new_record as (
     insert into shipments (tenant_id, reference, sent_hash, content_hash, order_id, order_tenant_id, warehouse_id, total_quantity, line_count, created_by)
     select $1, $${NEXT_VALUE}, $${NEXT_VALUE + 1}, $${NEXT_VALUE + 2}, o.id, o.order_tenant_id, o.warehouse_id, t.quantity, t.lines, $${NEXT_VALUE + 3}
     from orders o cross join (select coalesce(sum(quantity), 0) as quantity, count(*) as lines from part) t
     where o.tenant_id = $1 and o.id = $2 and not exists (select from too_much)
     on conflict (tenant_id, reference) do nothing
     returning *
   ), ${packagesFor('new_record')}, marked as (
     update orders set has_shipments = true
     where tenant_id = $1 and id = $2 and has_shipments is null and exists (select from new_record)
   ), record_event as (
     select ${recordEventPosition('shipment', 'r.id')} as position, 'shipment/updated' as topic,
       ${shipmentUpdatedData('null', STATUS, 'new_package k')} as data
     from new_record r cross join (select id, state_id, state_picking_id from orders where tenant_id = $1 and id = $2) o
   ), ${recordEvents('record_event')}
   select (select id from new_record) as id, ${TOO_MUCH} from (select) x left join too_much m on true`,
})

/** Packs goods of an order. Throws `validation_error`, `not_found`, `shipment_error` and `idempotency_conflict`. */
export const createShipment = endpoint({
  name: 'shipments.create',
  scope: 'write:orders',
  method: 'POST',
  path: '/shipments',
  summary: 'Pack a shipment',
  description: `Begins a shipment of an order that is not cancelled, even before the order is completed. An order can have up to 1,000 shipments, cancelled ones included. Together, the shipments that are not cancelled contain at most the quantity of each order line that was taken for it: the quantity that completed flows picked or, in an order completed without picking, the ordered quantity. A product fills the order's lines in order, each up to the quantity that was taken and is not packed yet.

Packing changes no stock, flow or order. Sending the same shipment again with its \`reference\` changes nothing and returns its current state, at any later time. Different content with the same \`reference\` is an \`idempotency_conflict\`.`,
  errors: ['not_found', 'shipment_error'],
  isAddition: true,
  input: createShipmentInput,
  output: shipment,
  run: ({ caller, db }, input) => {
    const rows = (input.packages ?? []).reduce((sum, { lines }) => sum + lines.length, 0)
    return db.transaction((tx) => create(tx, caller, input), { rows })
  },
})

async function create(
  tx: Queryable,
  { tenantId, keyName }: RequestContext['caller'],
  input: z.infer<typeof createShipmentInput>,
): Promise<Shipment> {
  const { reference = null, packages: given } = input
  const packages = given ?? []
  // First of all: a parallel call with the same reference has ended by then.
  const order = await namedUnlessUsed(tx, findByReference, tenantId, reference, requireOrder(tx, lockOrder, tenantId, input))
  const lines = await findPacked(tx, tenantId, order.id, packages)
  const { sent, meant } = contentOf(packages, lines)
  const content = {
    sent: hashOf([input.order_id ?? null, input.order_tenant_id ?? null, sent]),
    meant: hashOf([order.id, meant]),
  }
  const earlier = await earlierRecord(tx, findByReference, tenantId, reference, content)
  if (earlier !== undefined) return readShipment(tx, tenantId, earlier)
  requireLines(lines)
  requireUncancelled(order)
  if (order.is_full) throw new ServiceError('shipment_error', `The order has ${MAX_SHIPMENTS} shipments, and cannot have more`)
  const values = packedValues(tenantId, order.id, packages, lines)
  const [row] = await tx.run(insert, [...values, reference, content.sent, content.meant, keyName])
  requireRoom(row as TooMuch)
  // A parallel call for another order has made it: the insert has waited for its end.
  const id = row?.id ?? (await earlierRecord(tx, findByReference, tenantId, reference, content))
  return readShipment(tx, tenantId, id as number)
}
