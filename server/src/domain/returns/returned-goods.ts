/**
 * SQL for what returns of an order announce or have received of a product. A closed return counts with what it received, another with the
 * larger of that and what it announced, line by line. Both are SQL.
 */
export const returnedOf = (orderId: string, productId: string): string => `coalesce((
       select sum(case n.state when 'closed' then b.received else greatest(b.quantity, b.received) end)
       from returns n join return_lines b on b.tenant_id = $1 and b.record_id = n.id
       where n.tenant_id = $1 and n.order_id = ${orderId} and n.state <> 'cancelled' and b.product_id = ${productId}
     ), 0)`
