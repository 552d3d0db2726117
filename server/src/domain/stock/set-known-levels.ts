import type { Queryable } from '../../database/connections/queryable.ts'
import { type RunOptions, statement } from '../../database/statements/statement.ts'
import { EVENT_TIME, recordEvents } from '../events/index.ts'
import { IS_RESERVING, wasReserving } from '../reservation-core/index.ts'
import { AS_LOCATION } from './apply-stock-changes.ts'
import type { PositionedUpdate, ValuesOfUpdates } from './bulk-updates.ts'
import { countStocked } from './count-stocked.ts'
import { movementsOf } from './movements-of.ts'
import { UNSELLABLE } from './stock-change-parts.ts'
import { eventsOfChanges, PRODUCT_NAMES } from './stock-events.ts'

const ofTime = (sql: string): string => `(select ${sql} from event_time)`

// Does what `set_stock_levels` does, at three quarters of its cost, if all products and locations are known and the tenant does not reserve;
// otherwise nothing. The products are all different, so no level has two changes. All changes have the same time. `generate_series` makes the
// planner expect many rows. The lock order is that of `applyStockChanges`.
const setLevels = statement<[...ValuesOfUpdates, createdBy: string], { is_done: boolean }>({
  name: 'set_known_levels',
  connection: 'write',
  sql: `with item as materialized (
     select i.position, i.location_id, i.quantity, p.*, (p.id is not null and (i.sku is null or p.external_id = i.sku)) as is_known
     from rows from (
       unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::numeric[]), generate_series(1, cardinality($2))
     ) i (position, product_id, sku, location_id, quantity)
     left join lateral (
       select external_id, ${PRODUCT_NAMES} from products where tenant_id = $1 and id = i.product_id
       union all
       select external_id, ${PRODUCT_NAMES} from products where tenant_id = $1 and i.product_id is null and external_id = i.sku and is_active
       limit 1
     ) p on true
   ), named_location as materialized (
     select i.location_id, l.warehouse_id, l.sellable
     from (select distinct location_id from item) i
     left join lateral (select warehouse_id, sellable from locations where tenant_id = $1 and id = i.location_id limit 1) l on true
   ), known as materialized (
     select (select bool_and(is_known) from item) and (select bool_and(warehouse_id is not null) from named_location) and not ${IS_RESERVING} as are_all
   ), changed_level as (
     insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, sellable, quantity, previous_quantity)
     select $1, i.id, i.location_id, l.warehouse_id, l.sellable, i.quantity, 0
     from item i join named_location l using (location_id)
     where (select are_all from known)
     order by i.id, i.location_id
     on conflict (tenant_id, product_id, location_id) do update
     set quantity = excluded.quantity, previous_quantity = stock_levels.quantity, ${AS_LOCATION}, updated_at = clock_timestamp()
     returning product_id, location_id, warehouse_id, sellable, quantity, previous_quantity
   ), ${EVENT_TIME.after('changed_level')}, warehouse_total as (
     insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, unsellable)
     select $1, product_id, warehouse_id, quantity - previous_quantity, ${UNSELLABLE} from changed_level
     where quantity <> previous_quantity order by product_id, warehouse_id
     on conflict (tenant_id, product_id, warehouse_id) do update
     set quantity = warehouse_stock.quantity + excluded.quantity, previous_quantity = warehouse_stock.quantity,
       unsellable = warehouse_stock.unsellable + excluded.unsellable
     returning product_id, warehouse_id, quantity, previous_quantity
   ), counted_total as (${countStocked('warehouse_total')}
   ), ${movementsOf({
     movement: `v.previous_quantity, v.quantity as new_quantity, true as is_latest
    from (
      select i.position, i.id as product_id, i.location_id, 'ADJUSTMENT' as movement_type, null::text as reason, null::bigint as user_id,
        null::bigint as order_id, null::text as other_location_id
      from item i
    ) c join changed_level v using (product_id)
    order by c.position`,
     counts: `select $1, ${ofTime(`(at at time zone 'UTC')::date`)}, ${ofTime(`date_trunc('hour', at, 'UTC')`)}, product_id, location_id, movement_type, 1,
    new_quantity - previous_quantity from stock_movement`,
     time: EVENT_TIME.at,
   })}, named_warehouse as materialized (
     select id, name from warehouses where tenant_id = $1 and id in (select warehouse_id from named_location)
   ), stock_event as (${eventsOfChanges({
     eventReason: 'inventory_count',
     createdBy: '$7::text',
     time: EVENT_TIME.at,
     named: { products: 'item', warehouses: 'named_warehouse' },
   })}
   ), ${recordEvents('stock_event', { areOfOneTime: true, areWithoutOrders: true })}
   select coalesce(are_all, false) as is_done from known`,
})

/**
 * Sets the levels of different products. Returns false, and changes nothing, if one of the products or locations is not known, or the tenant
 * reserves.
 */
export async function setKnownLevels(
  db: Queryable,
  values: [...ValuesOfUpdates, createdBy: string],
  options: RunOptions,
): Promise<boolean> {
  const [row] = await db.run(setLevels, values, options)
  return row?.is_done === true
}

/** Whether `setKnownLevels` may do these updates. All name their product in the same way, so different names are different products. */
export function mayBeKnown(tenantId: number, updates: readonly PositionedUpdate[]): boolean {
  const names = updates.map(({ product_id, sku }) => product_id ?? sku)
  const areAlike = names.every((name) => typeof name === typeof names[0])
  return areAlike && new Set(names).size === names.length && !wasReserving(tenantId)
}
