/** How the movements of a statement are read from its changes. Each is SQL. */
interface Movements {
  /** Columns `previous_quantity`, `new_quantity` and `is_latest`, then `from`: changes `c`, the changed level `v` of each, by position. */
  movement: string
  /** A query of the rows of movement_count_changes. */
  counts: string
  /** The time of all movements. By default, each has its own. */
  time?: string
}

/** CTEs that write a movement for each change of a level, and count it. Result: `stock_movement`, as in `applyStockChanges`. */
export function movementsOf({ movement, counts, time = 'clock_timestamp()' }: Movements, areOfPicks = false): string {
  const pick = areOfPicks ? ', flow_id, pick_id' : ''
  return `stock_movement as materialized (
  -- Numbered and timed here, with the level locked, so that a level's movements are in the order in which they happened.
  select nextval('stock_movements_id_seq') as id, ${time} as created_at, m.*,
    case m.movement_type when 'OUT' then m.previous_quantity - m.new_quantity else m.new_quantity - m.previous_quantity end as quantity
  from (
    select c.position, c.product_id, c.location_id, c.movement_type, c.reason, c.user_id, c.order_id, c.other_location_id${areOfPicks ? ', c.flow_id, c.pick_id' : ''}, v.warehouse_id,
      v.quantity as level_quantity, v.previous_quantity as level_previous_quantity, ${movement}
  ) m
), stored_movement as (
  insert into stock_movements
    (tenant_id, id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason, user_id, order_id, created_at${pick})
  overriding system value
  select $1, id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, reason, user_id, order_id, created_at${pick}
  from stock_movement
), counted_movement as (
  insert into movement_count_changes (tenant_id, created_day, created_hour, product_id, location_id, movement_type, change, quantity)
  ${counts}
)`
}
