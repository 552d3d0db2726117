import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { recordEvents } from '../events/index.ts'
import { invalidInput } from '../invalid-input.ts'
import { applyBulkItems, type BulkItem, type BulkOutcome, type ProductChange, type StoredProduct } from './apply-bulk-items.ts'
import { keepBulkCallsOut, lockCatalog } from './catalog-lock.ts'
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

const FIELDS = 'barcode text, name text, external_id text, category text, price float8, weight float8'

// The event of a change shows the product as it was right after that change, which a later item of the call may have changed again.
const writeProducts = statement<[tenantId: number, rows: string, changes: string], never>(
  'write_products',
  `with item as materialized (
     select * from json_to_recordset($2::json) i (id bigint, ${FIELDS})
   ), created as (
     insert into products as p (tenant_id, barcode, name, external_id, category, price, weight, created_at, updated_at)
     select $1, barcode, name, external_id, category, price, weight, statement_timestamp(), statement_timestamp() from item where id is null
     returning p.id, p.barcode
   ), changed as (
     update products p set name = i.name, external_id = i.external_id, category = i.category, price = i.price, weight = i.weight,
       updated_at = statement_timestamp()
     from item i where p.tenant_id = $1 and p.id = i.id
     returning p.id, p.barcode
   ), written as (
     select * from created union all select * from changed
   ), event as (
     select p.position, p.topic, case p.topic when 'product/created' then ${productCreated('p')} else ${productUpdated('p', 'p.updated_fields')} end as data
     from (
       select w.id, c.*, null::text as description, null::float8 as cost, statement_timestamp() as created_at, statement_timestamp() as updated_at
       from json_to_recordset($3::json) c (position int, topic text, updated_fields json, ${FIELDS}) join written w using (barcode)
     ) p
   ), ${recordEvents('event')}
   select`,
)

/** Creates and updates many products, in the order given. An item that cannot be applied is reported and does not stop the others. */
export async function bulkUpsertProducts(
  { db, caller }: RequestContext,
  input: z.infer<typeof bulkInput>,
): Promise<z.infer<typeof bulkOutput>> {
  const items = input.products.map(checkedItem)
  const apply = (lock: typeof lockCatalog): Promise<BulkOutcome> =>
    db.transaction(async (tx) => {
      await lock(tx, caller.tenantId)
      const stored = await productsNamedBy(items, tx, caller.tenantId)
      const outcome = applyBulkItems(stored, items)
      const mayWrite = lock === lockCatalog || !concernsNames(outcome, items)
      if (mayWrite && outcome.changes.length > 0) await write(tx, caller.tenantId, stored, outcome.changes)
      return outcome
    })
  // Most calls only update products, and need not wait for one another: not before one turns out to be about names is the catalog locked.
  let outcome = await apply(keepBulkCallsOut)
  if (concernsNames(outcome, items)) outcome = await apply(lockCatalog)
  const { created, updated, errors } = outcome
  return { created, updated, errors }
}

/** Whether the outcome depends on which barcodes and SKUs there are besides those of the products that the items update. */
function concernsNames({ created, changes, errors }: BulkOutcome, items: readonly BulkItem[]): boolean {
  const invalid = items.filter((item) => 'error' in item).length
  return created > 0 || errors.length > invalid || changes.some((change) => change.updated_fields.includes('sku'))
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
  const rows = new Map(changes.map(({ product }) => [product.barcode, columnsOf(product)]))
  const events = changes.map(({ product, ...change }, position) => ({ ...columnsOf(product), ...change, position }))
  const skus = new Set([...rows.values()].map((row) => row.external_id))
  const released = stored.filter(({ barcode, sku }) => sku !== null && skus.has(sku) && rows.get(barcode)?.external_id !== sku)
  if (released.length > 0) await tx.run(releaseSkus, [tenantId, released.map(({ id }) => id)])
  await tx.run(writeProducts, [tenantId, JSON.stringify([...rows.values()]), JSON.stringify(events)])
}
