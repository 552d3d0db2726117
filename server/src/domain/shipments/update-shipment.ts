import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { type LockedOrder, lockOrderOf, requireUncancelled } from './order-lock.ts'
import { findPacked, packedValues, requireLines, requireRoom } from './packed-goods.ts'
import { NEXT_VALUE, PACKED, type PackedValues, packagesFor, TOO_MUCH, type TooMuch } from './packing-parts.ts'
import { readShipment } from './read-shipment.ts'
import { type NewPackage, shipment, type ShipmentState, updateShipmentInput } from './schemas.ts'
import { setTracking } from './set-tracking.ts'

/** Takes everything out of a shipment while it is open: a statement before the one that packs, which then finds the room. */
const unpack = statement<[tenantId: number, shipmentId: number], { state: ShipmentState }>({
  name: 'unpack_shipment',
  connection: 'write',
  sql: `with locked as materialized (
     select id, state from shipments where tenant_id = $1 and id = $2 for no key update
   ), gone_line as (
     delete from shipment_lines where tenant_id = $1 and record_id = (select id from locked where state = 'open')
   ), gone_package as (
     delete from shipment_packages where tenant_id = $1 and record_id = (select id from locked where state = 'open')
   )
   select state from locked`,
})

const pack = statement<[...PackedValues, shipmentId: number], TooMuch>({
  name: 'pack_shipment',
  connection: 'write',
  sql: `with ${PACKED}, packed_record as (
     update shipments r set total_quantity = t.quantity, line_count = t.lines, updated_at = clock_timestamp()
     from (select coalesce(sum(quantity), 0) as quantity, count(*) as lines from part) t
     where r.tenant_id = $1 and r.id = $${NEXT_VALUE} and not exists (select from too_much)
     returning r.id
   ), ${packagesFor('packed_record')}
   select ${TOO_MUCH} from (select) x left join too_much m on true`,
})

/** Changes packages and tracking of a shipment. Throws `not_found`, `validation_error` and `shipment_error`. */
export const updateShipment = endpoint({
  name: 'shipments.update',
  scope: 'write:orders',
  method: 'PUT',
  path: '/shipments/{id}',
  summary: 'Change a shipment',
  description: `\`packages\` replaces all packages while the shipment is open, by the same rules as in a new shipment. \`tracking\` changes carrier, number and address of the packages that it names, in every state except \`cancelled\`. If both are given, \`packages\` is applied first. Sends no event.`,
  errors: ['shipment_error'],
  isAddition: true,
  input: updateShipmentInput,
  output: shipment,
  run: ({ caller: { tenantId }, db }, input) => {
    const rows = (input.packages ?? []).reduce((sum, { lines }) => sum + lines.length, 0)
    return db.transaction(
      async (tx) => {
        await update(tx, tenantId, input)
        return readShipment(tx, tenantId, input.id)
      },
      { rows },
    )
  },
})

async function update(
  tx: Queryable,
  tenantId: number,
  { id, packages, tracking }: z.infer<typeof updateShipmentInput>,
): Promise<void> {
  const order = await lockOrderOf(tx, tenantId, id)
  if (packages !== undefined && packages !== null) await packAgain(tx, tenantId, { id, order, packages })
  if (tracking !== undefined && tracking !== null) await setTracking(tx, tenantId, id, tracking)
}

interface Repacked {
  id: number
  order: LockedOrder
  packages: readonly NewPackage[]
}

async function packAgain(tx: Queryable, tenantId: number, { id, order, packages }: Repacked): Promise<void> {
  const lines = await findPacked(tx, tenantId, order.id, packages)
  requireLines(lines)
  const row = await tx.runOne(unpack, [tenantId, id])
  if (row?.state !== 'open')
    throw new ServiceError('shipment_error', `The shipment is ${row?.state}: its packages can no longer be changed`)
  requireUncancelled(order)
  const [result] = await tx.run(pack, [...packedValues(tenantId, order.id, packages, lines), id])
  requireRoom(result as TooMuch)
}
