/** SQL for the lines of the order with the id `orderId`, as a JSON array in the order submitted. */
export function orderDetail(orderId: string): string {
  return `(
    select coalesce(json_agg(json_build_object('id', l.id, 'product_id', l.product_id, 'barcode', l.barcode, 'product_name', l.product_name,
      'quantity', l.quantity, 'picked_quantity', l.picked_quantity::float8, 'price', l.price) order by l.id), '[]')
    from order_lines l where l.tenant_id = $1 and l.order_id = ${orderId}
  )`
}
