import { connectionFor } from '../../database/connections/connection-for.ts'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { EVENT_TIME, recordEvents } from '../events/index.ts'
import type { BulkFields, ValidBulkItem } from './apply-bulk-items.ts'
import { productUpdatedData } from './product-events.ts'

/** The fields that null clears, and their columns. The bit of its index in an item's `given` tells whether the item has the field. */
const CLEARABLE = [
  ['sku', 'external_id'],
  ['category', 'category'],
  ['price', 'price'],
  ['weight', 'weight'],
  ['pick_tolerance_percent', 'pick_tolerance_percent'],
] as const satisfies readonly (readonly [keyof BulkFields, string])[]

const isGiven = (index: number): string => `i.given & ${1 << index} <> 0`
const newValue = (column: string, index: number): string => {
  const given = column === 'pick_tolerance_percent' ? 'coalesce(i.pick_tolerance_percent, 0)' : `i.${column}`
  return `case when ${isGiven(index)} then ${given} else p.${column} end as ${column}`
}
const NEW_VALUES = ['coalesce(i.name, p.name) as name', ...CLEARABLE.map(([, column], index) => newValue(column, index))]
const changedField = (field: string, column: string): string =>
  `case when n.${column} is distinct from n.old_${column} then '${field}' end`
const COLUMNS = ['name', ...CLEARABLE.map(([, column]) => column)]
const UPDATED_FIELDS = [['name', 'name'] as const, ...CLEARABLE].map(([field, column]) => changedField(field, column))

type Values = [
  tenantId: number,
  barcodes: string[],
  names: (string | null)[],
  skus: (string | null)[],
  categories: (string | null)[],
  prices: (number | null)[],
  weights: (number | null)[],
  tolerances: (number | null)[],
  given: number[],
]

// The whole call in one statement, for items that change neither which barcodes nor which SKUs there are, so that no other product matters.
// Barcodes and SKUs are compared twice: in the snapshot, before any lock, and in the locked products, which may have changed meanwhile. The
// update finds the products by id: the ctid in the snapshot is out of date for a product that changed while the statement waited for it.
// `generate_series` numbers the items, and makes the planner expect many rows; otherwise it would compare each product with each item.
const updateProducts = statement<Values, { is_done: boolean }>({
  name: 'update_known_products',
  connection: 'write',
  sql: `with ${EVENT_TIME.cte}, item as materialized (
     select i.*, p.id as product_id, p.is_same_sku
     from rows from (
       unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[], $8::numeric[], $9::int[]), generate_series(1, cardinality($2))
     ) i (barcode, name, external_id, category, price, weight, pick_tolerance_percent, given, position)
     left join lateral (
       select id, not (${isGiven(0)} and external_id is distinct from i.external_id) as is_same_sku
       from products where tenant_id = $1 and barcode = i.barcode limit 1
     ) p on true
   ), locked as materialized (
     select id, barcode, ${COLUMNS.join(', ')}, weighable from products
     where tenant_id = $1 and id = any (case when (select bool_and(is_same_sku is true) from item) then array(select product_id from item) end)
     order by id for no key update
   ), new_product as materialized (
     select n.position, n.id, ${COLUMNS.map((column) => `n.${column}`).join(', ')},
       (barcode = current_barcode and external_id is not distinct from old_external_id and (pick_tolerance_percent = 0 or weighable)) is true as is_allowed,
       array_remove(array[${UPDATED_FIELDS.join(', ')}], null) as updated_fields
     from (
       select i.position, i.barcode, p.id, p.barcode as current_barcode, ${NEW_VALUES.join(', ')},
         p.weighable, ${COLUMNS.map((column) => `p.${column} as old_${column}`).join(', ')}
       from item i left join locked p on p.id = i.product_id
     ) n
   ), allowed as materialized (
     select coalesce(bool_and(is_allowed), false) as are_all from new_product
   ), changed as (
     update products p set ${COLUMNS.map((column) => `${column} = n.${column}`).join(', ')}, updated_at = ${EVENT_TIME.at}
     from new_product n
     where p.tenant_id = $1 and p.id = any (case when (select are_all from allowed) then array(select id from new_product where updated_fields <> '{}') end)
       and p.id = n.id
     returning n.position, p.id, p.barcode, p.name, p.external_id, n.updated_fields
   ), event as (
     select position, 'product/updated' as topic, ${productUpdatedData('p', 'p.updated_fields', EVENT_TIME.at)} as data from changed p
   ), ${recordEvents('event', { areOfOneTime: true, areWithoutOrders: true })}
   select are_all as is_done from allowed`,
})

/**
 * Updates the products with the barcodes of the items, with their events. Returns false, and changes nothing, if there is no such product for
 * one of them, if two have the same one, if one would change an SKU, or if one fails.
 */
export async function updateKnownProducts(db: Queryable, tenantId: number, items: readonly ValidBulkItem[]): Promise<boolean> {
  if (new Set(items.map(({ barcode }) => barcode)).size < items.length) return false
  const [row] = await db.run(updateProducts, valuesOf(tenantId, items), connectionFor(items.length))
  return row?.is_done === true
}

function valuesOf(tenantId: number, items: readonly ValidBulkItem[]): Values {
  return [
    tenantId,
    items.map(({ barcode }) => barcode),
    items.map(({ name }) => name ?? null),
    items.map(({ sku }) => sku ?? null),
    items.map(({ category }) => category ?? null),
    items.map(({ price }) => price ?? null),
    items.map(({ weight }) => weight ?? null),
    items.map(({ pick_tolerance_percent: tolerance }) => tolerance ?? null),
    items.map(givenFields),
  ]
}

/** A number with a bit for each clearable field that the item has. */
function givenFields(item: ValidBulkItem): number {
  return CLEARABLE.reduce((bits, [field], index) => (item[field] === undefined ? bits : bits | (1 << index)), 0)
}
