/** Fields of an order line, for json_build_object. `line` is the alias of a row of order_lines, `picked` SQL for its picked quantity. */
export function lineFields(line: string, picked: string): string {
  return `'order_detail_id', ${line}.id, 'product_id', ${line}.product_id, 'barcode', ${line}.barcode, 'product_name', ${line}.product_name,
    'quantity', ${line}.quantity, 'picked_quantity', ${picked}, 'remaining', ${line}.quantity - ${picked}`
}
