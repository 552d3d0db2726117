/** The nullable columns of a product. */
export const OPTIONAL_COLUMNS = [
  'external_id',
  'category',
  'description',
  'price',
  'weight',
  'width',
  'height',
  'depth',
  'photo_url',
  'cost',
  'minimum_threshold',
  'reorder_quantity',
] as const

/** The given fields by the names of their columns, as `json_populate_record` reads them. */
export function columnsOf<Fields extends { sku?: string | null }>({
  sku,
  ...fields
}: Fields): Omit<Fields, 'sku'> & { external_id: string | null | undefined } {
  return { ...fields, external_id: sku }
}
