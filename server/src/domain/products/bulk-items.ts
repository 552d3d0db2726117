import { itemError } from '../../procedures/invalid-input.ts'
import { mapInTurns } from '../../runtime/event-loop/turns.ts'
import type { BulkItem, BulkOutcome, ValidBulkItem } from './apply-bulk-items.ts'
import { bulkItem } from './schemas.ts'

// The parts of a bulk call and of its check.

const STORED =
  'select ctid as tuple_id, barcode, name, external_id as sku, category, price, weight, pick_tolerance_percent, weighable from products'

/**
 * A query of the ids of products by a unique column; `values` is an array parameter. One index lookup for each value: with
 * `barcode = any(...)`, plans made while the table was small compared each product of the tenant with each value.
 */
const idsBy = (column: 'barcode' | 'external_id', values: string): string => `select p.id from unnest(${values}::text[]) v (value)
     cross join lateral (select id from products where tenant_id = $1 and ${column} = v.value limit 1) p`

/** SQL for the products with the barcodes `$2` and those with the SKUs `$3`, each as a `StoredProduct`. */
export const PRODUCTS_AND_SKU_OWNERS = `${STORED} where tenant_id = $1 and id = any (array(
     ${idsBy('barcode', '$2')}
     union all
     ${idsBy('external_id', '$3')}
   )) order by id`

/** SQL for those of the barcodes `$2` that are additional ones. A tenant without any costs one look-up. */
export const ADDITIONAL_BARCODES = `select b.barcode from unnest($2::text[]) v (value)
   cross join lateral (select barcode from product_barcodes where tenant_id = $1 and barcode = v.value limit 1) b
   where exists (select from product_barcodes where tenant_id = $1)`

/** The items of a bulk call, each checked by itself. */
export function bulkItemsOf(given: readonly unknown[]): Promise<BulkItem[]> {
  return mapInTurns(given, checkedItem)
}

export function validAmong(items: readonly BulkItem[]): ValidBulkItem[] {
  return items.filter((item) => !('error' in item))
}

/** The barcodes and the SKUs of the valid items. */
export function namesIn(items: readonly BulkItem[]): [barcodes: string[], skus: string[]] {
  const valid = validAmong(items)
  return [valid.map(({ barcode }) => barcode), valid.map(({ sku }) => sku).filter((sku) => typeof sku === 'string')]
}

/** The response to a bulk call with this outcome. */
export function bulkResponse({ created, updated, errors }: BulkOutcome): Pick<BulkOutcome, 'created' | 'updated' | 'errors'> {
  return { created, updated, errors }
}

function checkedItem(item: unknown): BulkItem {
  const { success, data, error } = bulkItem.safeParse(item)
  return success ? data : { barcode: barcodeOf(item), error: itemError(error) }
}

function barcodeOf(item: unknown): string {
  const barcode = typeof item === 'object' && item !== null && 'barcode' in item ? item.barcode : undefined
  return typeof barcode === 'string' ? barcode.trim() : ''
}
