import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { settled, withReservationEvents } from '../reservation-core/index.ts'
import { countStocked, lowAlerts, SETTLED_STOCK } from '../stock/index.ts'
import { updateLocationInput, updateLocationOutput } from './schemas.ts'
import { warehouseNotFound } from './warehouse-not-found.ts'

type Input = z.infer<typeof updateLocationInput>
type Location = z.infer<typeof updateLocationOutput>

const lockLevels = statement<[tenantId: number, locationId: string], { levels: number }>({
  name: 'lock_levels_of_location',
  connection: 'write',
  sql: `with locked as materialized (
     select from stock_levels where tenant_id = $1 and location_id = $2 order by product_id for no key update
   )
   select count(*) as levels from locked`,
})

const changeLocation = statement<
  [
    tenantId: number,
    locationId: string,
    code: string | null,
    name: string | null,
    nameGiven: boolean,
    warehouseId: number | null,
    pickable: boolean | null,
    sellable: boolean | null,
    pickSequence: number | null,
    pickSequenceGiven: boolean,
  ],
  { location: Location | null; previous_warehouse_id: number; previously_sellable: boolean }
>({
  name: 'update_location',
  connection: 'write',
  sql: `with present as materialized (
     select id, warehouse_id, sellable from locations where tenant_id = $1 and id = $2 for no key update
   ), changed as (
     update locations l set code = coalesce($3, l.code), name = case when $5::boolean then $4 else l.name end, warehouse_id = coalesce($6::bigint, l.warehouse_id),
       pickable = coalesce($7::boolean, l.pickable), sellable = coalesce($8::boolean, l.sellable),
       pick_sequence = case when $10::boolean then $9 else l.pick_sequence end
     from present p
     where l.tenant_id = $1 and l.id = p.id and ($6::bigint is null or exists (select from warehouses w where w.tenant_id = $1 and w.id = $6))
     returning l.id, l.code, l.name, l.warehouse_id, l.pickable, l.sellable, l.pick_sequence
   )
   select (select row_to_json(c) from changed c) as location, p.warehouse_id as previous_warehouse_id, p.sellable as previously_sellable
   from present p`,
})

const moveTotals = statement<
  [
    tenantId: number,
    locationId: string,
    fromWarehouseId: number,
    toWarehouseId: number,
    wasSellable: boolean,
    isSellable: boolean,
  ],
  { totals: number }
>({
  name: 'move_totals_of_location',
  connection: 'write',
  sql: `with warehouse_total as (
     insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, unsellable)
     select $1, v.product_id, w.id, sum(w.sign * v.quantity), sum(case when w.sellable then 0 else w.sign * v.quantity end)
     from stock_levels v, (values ($3::bigint, -1, $5::boolean), ($4::bigint, 1, $6::boolean)) w (id, sign, sellable)
     where v.tenant_id = $1 and v.location_id = $2 and v.quantity <> 0
     group by v.product_id, w.id
     order by v.product_id, w.id
     on conflict (tenant_id, product_id, warehouse_id) do update
     set quantity = warehouse_stock.quantity + excluded.quantity, previous_quantity = warehouse_stock.quantity,
       unsellable = warehouse_stock.unsellable + excluded.unsellable
     returning product_id, warehouse_id, quantity, previous_quantity
   ), counted_total as (${countStocked('warehouse_total')}
   ), stock_event as (
     select row_number() over () as position, topic, data from (${lowAlerts('warehouse_total')}) e
   ), ${settled({ stock: SETTLED_STOCK })}, ${recordEvents(withReservationEvents('stock_event'))}
   select count(*) as totals from warehouse_total`,
})

/**
 * Changes a location. A new warehouse takes over the location's stock immediately. Throws `not_found`, and `validation_error` when the
 * warehouse is unknown.
 */
export const updateLocation = endpoint({
  name: 'locations.update',
  scope: 'write:stock',
  method: 'PUT',
  path: '/locations/{id}',
  summary: 'Change a location',
  description: 'Only the given fields change. A new warehouse takes over the stock of the location immediately.',
  isAddition: true,
  input: updateLocationInput,
  output: updateLocationOutput,
  run: async (context, input) => {
    if (input.warehouse_id !== undefined || input.sellable !== undefined)
      return await context.db.transaction((tx) => changeAndMove(tx, context, input))
    return (await change(context.db, context, input)).location
  },
})

/**
 * Levels are locked first, as in every stock change. The row lock on the location then prevents new levels there, so the last statement
 * sees all levels of the location, each already in the new warehouse, and sellable or not as the location is now.
 */
async function changeAndMove(tx: Queryable, context: RequestContext, input: Input): Promise<Location> {
  const { tenantId } = context.caller
  await tx.run(lockLevels, [tenantId, input.id])
  const { location, previousWarehouseId: from, wasSellable } = await change(tx, context, input)
  if (location.warehouse_id !== from || location.sellable !== wasSellable)
    await tx.run(moveTotals, [tenantId, input.id, from, location.warehouse_id, wasSellable, location.sellable])
  return location
}

/** The one place where a location changes. */
async function change(
  db: Queryable,
  context: RequestContext,
  input: Input,
): Promise<{ location: Location; previousWarehouseId: number; wasSellable: boolean }> {
  const row = await db.runOne(changeLocation, [
    context.caller.tenantId,
    input.id,
    input.code ?? null,
    input.name ?? null,
    input.name !== undefined,
    input.warehouse_id ?? null,
    input.pickable ?? null,
    input.sellable ?? null,
    input.pick_sequence ?? null,
    input.pick_sequence !== undefined,
  ])
  if (row === undefined) throw new ServiceError('not_found', 'Location not found')
  if (row.location === null) throw warehouseNotFound()
  return { location: row.location, previousWarehouseId: row.previous_warehouse_id, wasSellable: row.previously_sellable }
}
