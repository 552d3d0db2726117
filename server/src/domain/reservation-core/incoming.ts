/** SQL for what is still to come of a product, to a warehouse or to all. Both are SQL. */
export const incomingOf = (productId: string, warehouseId?: string): string => `coalesce((
      select sum(i.quantity - i.received) from inbound_lines i
      where i.tenant_id = $1 and i.product_id = ${productId}${warehouseId === undefined ? '' : ` and i.warehouse_id = ${warehouseId}`} and i.is_open
    ), 0)`

/** SQL for the earliest date of what is still to come of a product to a warehouse, or null. Both are SQL. */
export const nextExpectedAt = (productId: string, warehouseId: string): string => `(
      select min(d.expected_at)
      from inbound_lines i cross join lateral (select expected_at from inbound where tenant_id = $1 and id = i.record_id limit 1) d
      where i.tenant_id = $1 and i.product_id = ${productId} and i.warehouse_id = ${warehouseId} and i.is_open
    )`

/** SQL for the first announced deliveries of a product to a warehouse, as JSON: earliest first, undated last. Null for none. */
export const incomingDeliveries = (productId: string, warehouseId: string, most: number): string => `(
       select json_agg(json_build_object('inbound_id', d.id, 'reference', d.reference, 'expected_at', d.expected_at, 'quantity', d.quantity::float8)
         order by d.expected_at nulls last, d.id)
       from (
         select d.id, d.reference, d.expected_at, i.quantity
         from (
           select record_id, sum(quantity - received) as quantity from inbound_lines
           where tenant_id = $1 and product_id = ${productId} and warehouse_id = ${warehouseId} and is_open group by record_id
         ) i cross join lateral (select id, reference, expected_at from inbound where tenant_id = $1 and id = i.record_id limit 1) d
         order by d.expected_at nulls last, d.id limit ${most}
       ) d
     )`
