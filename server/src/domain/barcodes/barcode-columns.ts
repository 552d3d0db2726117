/** The columns of an additional barcode in responses. `row` is the alias of a row of product_barcodes, or null. */
export const BARCODE_COLUMNS = (row: string): string =>
  `${row}.barcode, ${row}.quantity, ${row}.name, false as is_primary, ${row}.created_at`
