import { stockLowAlert, stockMovementCreated, stockUpdated } from './stock-topics.ts'
import { eventData } from '../events/index.ts'
import { STOCK_REASONS, type StockReason } from './stock-reasons.ts'

const REASON_LIST = STOCK_REASONS.map((reason) => `'${reason}'`).join(', ')

// The SQL below names a movement `m`, a new row of warehouse_stock `t`, and the product `p` and the warehouse `w` of either.

const PRODUCT = { product_id: 'p.id', sku: { json: 'p.sku' }, product_name: { json: 'p.product_name' } }
const WAREHOUSE = { warehouse_id: 'w.id', warehouse_name: 'w.name' }

/** The id of a movement, which needs no escapes. */
const MOVEMENT_ID = { json: `'"' || m.id || '"'` }

const movementCreated = ({ createdBy, time = 'm.created_at' }: EventOptions): string =>
  eventData(stockMovementCreated, {
    ...PRODUCT,
    movement_id: MOVEMENT_ID,
    type: `case m.movement_type when 'IN' then 'receipt' when 'OUT' then 'dispatch' when 'TRANSFER' then 'transfer' else 'adjustment' end`,
    quantity: 'm.quantity::float8',
    from_location: 'case when m.new_quantity < m.previous_quantity then m.location_id else m.other_location_id end',
    to_location: 'case when m.new_quantity < m.previous_quantity then m.other_location_id else m.location_id end',
    warehouse_id: 'm.warehouse_id',
    created_by: createdBy,
    notes: 'm.reason',
    created_at: time,
  })

const stockUpdatedData = (reason: StockReason): string =>
  eventData(stockUpdated, {
    ...PRODUCT,
    ...WAREHOUSE,
    barcode: 'p.barcode',
    location_id: 'm.location_id',
    quantity: 'm.level_quantity::float8',
    previous_quantity: 'm.level_previous_quantity::float8',
    change: '(m.level_quantity - m.level_previous_quantity)::float8',
    reason: `case when m.reason in (${REASON_LIST}) then m.reason else '${reason}' end`,
    reference_id: MOVEMENT_ID,
  })

const LOW_ALERT = eventData(stockLowAlert, {
  ...PRODUCT,
  ...WAREHOUSE,
  barcode: 'p.barcode',
  current_quantity: 't.quantity::float8',
  minimum_threshold: 'p.minimum_threshold::float8',
  suggested_reorder: 'coalesce(p.reorder_quantity, 2 * p.minimum_threshold - t.quantity)::float8',
})

/** Of any position. */
const MAX_POSITION = '2147483647::bigint'

interface EventOptions {
  eventReason: StockReason
  /** SQL for the name of the caller. */
  createdBy: string
  /** SQL for the time of all movements. By default, each has its own. */
  time?: string
  /** Relations with the products, with `PRODUCT_NAMES`, and the warehouses (id, name) of the changes. By default, they are looked up. */
  named?: Named
}

interface Named {
  products: string
  warehouses: string
}

/** The columns of a product that events need, of products. The texts that both events of a movement have are made once, as JSON. */
export const PRODUCT_NAMES = `id, coalesce(to_json(external_id)::text, 'null') as sku, to_json(name)::text as product_name, barcode, minimum_threshold, reorder_quantity`

/** A query of the events (position, topic, data) of the relations `stock_movement` and `warehouse_total`. */
export const eventsOfChanges = (options: EventOptions): string => `${stockEvents('stock_movement', options)}
  union all
  -- Alerts have no movement and come after those that have one.
  select 2 * ${MAX_POSITION} as position, topic, data from (${lowAlerts('warehouse_total', options.named)}) a`

/** A query of the events (position, topic, data) of the movements in the relation `movement`: two positions per movement. */
function stockEvents(movement: string, options: EventOptions): string {
  return `
    select 2 * m.position::bigint - 2 + kind as position, case kind when 1 then 'stock/movement_created' else 'stock/updated' end as topic,
      case kind when 1 then ${movementCreated(options)} else ${stockUpdatedData(options.eventReason)} end as data
    from ${movement} m
    ${namesOf('m', options.named)}
    cross join (values (1), (2)) k (kind)
    where kind = 1 or (m.is_latest and m.level_quantity <> m.level_previous_quantity)`
}

/**
 * A query, with the columns of `stockEvents`, of the alerts for the new rows of warehouse_stock in the relation `total`. Alerts have no
 * movement, so they sort last.
 */
export function lowAlerts(total: string, named?: Named): string {
  return `
    select null::bigint as movement_id, 3 as kind, 'stock/low_alert' as topic, ${LOW_ALERT} as data
    from ${total} t
    ${namesOf('t', named)}
    -- First: without it, the product of every total would be looked up.
    where t.quantity < t.previous_quantity and t.previous_quantity >= p.minimum_threshold and t.quantity < p.minimum_threshold`
}

/**
 * The product `p` and the warehouse `w` of a row. The limits make each join a lookup, even in a plan made on empty tables,
 * where joining all rows costs the same.
 */
function namesOf(row: string, named?: Named): string {
  if (named !== undefined)
    return `join ${named.products} p on p.id = ${row}.product_id
    join ${named.warehouses} w on w.id = ${row}.warehouse_id`
  return `cross join lateral (select ${PRODUCT_NAMES} from products where tenant_id = $1 and id = ${row}.product_id limit 1) p
    cross join lateral (select id, name from warehouses where tenant_id = $1 and id = ${row}.warehouse_id limit 1) w`
}
