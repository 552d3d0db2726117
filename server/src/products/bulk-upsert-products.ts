import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { recordEvents } from '../events/index.ts'
import { invalidInput } from '../invalid-input.ts'
import { applyBulkItems, type BulkItem, type ProductChange, type StoredProduct } from './apply-bulk-items.ts'
import { lockCatalog } from './catalog-lock.ts'
import { columnsOf } from './columns.ts'
import { productCreated, productUpdated } from './product-events.ts'
import { bulkItem, type bulkInput, type bulkOutput } from './schemas.ts'

const lockProducts = statement<[tenantId: number, barcodes: string[], skus: string[]], StoredProduct>(
  'lock_products',
  `select id, barcode, name, external_id as sku, category, price, weight from products
   where tenant_id = $1 and (barcode = any($2::text[]) or external_id = any($3::text[]))
   order by id for no key update`,
)

/** For SKUs that go from one product to another: uniqueness is checked row by row, so the old owner must let go first. */
const releaseSkus = statement<[tenantId: number, ids: number[]], never>(
  'release_skus',
  'update products set external_id = null where tenant_id = $1 and id = any($2::bigint[])',
)

const writeProducts = statement<[tenantId: number, rows: string, changes: string], never>(
  'write_products',
  `with item as materialized (
     select * from json_populate_recordset(null::products, $2::json)
   ), created as (
     insert into products as p (tenant_id, barcode, name, external_id, category, price, weight, created_at, updated_at)
     select $1, barcode, name, external_id, category, price, weight, statement_timestamp(), statement_timestamp() from item where id is null
     returning p.barcode, p as product
   ), changed as (
     update products p set name = i.name, external_id = i.external_id, category = i.category, price = i.price, weight = i.weight,
       updated_at = statement_timestamp()
     from item i where p.tenant_id = $1 and p.id = i.id
     returning p.barcode, p as product
   ), written as (
     select * from created union all select * from changed
   ), event as (
     select c.position, c.topic, case c.topic when 'product/created' then ${productCreated('p')} else ${productUpdated('p', 'c.updated_fields')} end as data
     from json_to_recordset($3::json) c (position int, topic text, product json, updated_fields json)
     join written w on w.barcode = c.product ->> 'barcode'
     cross join lateral json_populate_record(w.product, c.product) p
   ), ${recordEvents('event')}
   select`,
)

/** Creates and updates many products, in the order given. An item that cannot be applied is reported and does not stop the others. */
export async function bulkUpsertProducts(
  { db, caller }: RequestContext,
  input: z.infer<typeof bulkInput>,
): Promise<z.infer<typeof bulkOutput>> {
  const items = input.products.map(checkedItem)
  const { created, updated, errors } = await db.transaction(async (tx) => {
    await lockCatalog(tx, caller.tenantId)
    const stored = await productsNamedBy(items, tx, caller.tenantId)
    const outcome = applyBulkItems(stored, items)
    if (outcome.changes.length > 0) await write(tx, caller.tenantId, stored, outcome.changes)
    return outcome
  })
  return { created, updated, errors }
}

function checkedItem(item: unknown): BulkItem {
  const { success, data, error } = bulkItem.safeParse(item)
  if (!success) return { barcode: barcodeOf(item), error: invalidInput(error, undefined).message }
  const { barcode, ...fields } = data
  return { barcode, fields }
}

function barcodeOf(item: unknown): string {
  const barcode = typeof item === 'object' && item !== null && 'barcode' in item ? item.barcode : undefined
  return typeof barcode === 'string' ? barcode.trim() : ''
}

function productsNamedBy(items: readonly BulkItem[], tx: Queryable, tenantId: number): Promise<StoredProduct[]> {
  const valid = items.filter((item) => 'fields' in item)
  const skus = valid.map(({ fields }) => fields.sku).filter((sku) => typeof sku === 'string')
  return tx.run(lockProducts, [tenantId, valid.map(({ barcode }) => barcode), skus])
}

async function write(
  tx: Queryable,
  tenantId: number,
  stored: readonly StoredProduct[],
  changes: readonly ProductChange[],
): Promise<void> {
  const events = changes.map(({ product, ...change }, position) => ({ position, ...change, product: columnsOf(product) }))
  const rows = new Map(events.map(({ product }) => [product.barcode, product]))
  const skus = new Set([...rows.values()].map((row) => row.external_id))
  const released = stored.filter(({ barcode, sku }) => sku !== null && skus.has(sku) && rows.get(barcode)?.external_id !== sku)
  if (released.length > 0) await tx.run(releaseSkus, [tenantId, released.map(({ id }) => id)])
  await tx.run(writeProducts, [tenantId, JSON.stringify([...rows.values()]), JSON.stringify(events)])
}
