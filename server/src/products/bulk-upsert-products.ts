import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import type { Transaction } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { mapInTurns } from '../event-loop/turns.ts'
import { recordEvents } from '../events/index.ts'
import { itemError } from '../invalid-input.ts'
import { applyBulkItems, type BulkItem, type BulkOutcome, type ProductChange, type StoredProduct } from './apply-bulk-items.ts'
import { keepBulkCallsOut, lockCatalog } from './catalog-lock.ts'
import { productCreated, productUpdated } from './product-events.ts'
import { bulkItem, type bulkInput, type bulkOutput } from './schemas.ts'

const STORED = 'select ctid as place, barcode, name, external_id as sku, category, price, weight from products'

const lockProducts = statement<[tenantId: number, barcodes: string[]], StoredProduct>(
  'lock_products',
  `${STORED} where tenant_id = $1 and barcode = any($2::text[]) order by id for no key update`,
)

const lockProductsAndSkuOwners = statement<[tenantId: number, barcodes: string[], skus: string[]], StoredProduct>(
  'lock_products_and_sku_owners',
  `${STORED} where tenant_id = $1 and (barcode = any($2::text[]) or external_id = any($3::text[])) order by id for no key update`,
)

/** For SKUs that go from one product to another: uniqueness is checked row by row, so the old owner must let go first. */
const releaseSkus = statement<[tenantId: number, places: string[]], { barcode: string; place: string }>(
  'release_skus',
  'update products set external_id = null where tenant_id = $1 and ctid = any($2::tid[]) returning barcode, ctid as place',
)

// The event of a change shows the product as it was right after that change, which a later item of the call may have changed again: only the
// last one is stored. Products are found by their place in the table, where they are locked, which takes less than to look them up again.
const writeProducts = statement<
  [
    tenantId: number,
    places: (string | null)[],
    barcodes: string[],
    names: string[],
    skus: (string | null)[],
    categories: (string | null)[],
    prices: (number | null)[],
    weights: (number | null)[],
    updatedFields: (string | null)[],
    areLast: boolean[],
  ],
  never
>(
  'write_products',
  `with change as materialized (
     select * from unnest($2::tid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::float8[], $9::json[], $10::boolean[])
       with ordinality c (place, barcode, name, external_id, category, price, weight, updated_fields, is_last, position)
   ), created as (
     insert into products as p (tenant_id, barcode, name, external_id, category, price, weight, created_at, updated_at)
     select $1, barcode, name, external_id, category, price, weight, statement_timestamp(), statement_timestamp() from change where place is null and is_last
     returning p.id, p.barcode
   ), changed as (
     update products p set name = c.name, external_id = c.external_id, category = c.category, price = c.price, weight = c.weight,
       updated_at = statement_timestamp()
     from change c where p.tenant_id = $1 and p.ctid = c.place and c.is_last
     returning p.id, p.barcode
   ), written as (
     select * from created union all select * from changed
   ), event as (
     select p.position, case when p.updated_fields is null then 'product/created' else 'product/updated' end as topic,
       case when p.updated_fields is null then ${productCreated('p')} else ${productUpdated('p', 'p.updated_fields')} end as data
     from (
       select w.id, c.position, c.updated_fields, c.barcode, c.name, c.external_id, c.category, c.price, c.weight, null::text as description,
         null::float8 as cost, statement_timestamp() as created_at, statement_timestamp() as updated_at
       from change c join written w using (barcode)
     ) p
   ), ${recordEvents('event')}
   select`,
)

/** Creates and updates many products, in the order given. An item that cannot be applied is reported and does not stop the others. */
export async function bulkUpsertProducts(
  { db, caller }: RequestContext,
  input: z.infer<typeof bulkInput>,
): Promise<z.infer<typeof bulkOutput>> {
  const items = await mapInTurns(input.products, checkedItem)
  const apply = (isLocked: boolean): Promise<BulkOutcome> =>
    db.transaction(
      async (tx) => {
        // Sent together, and carried out one after the other.
        const [, stored] = await Promise.all([
          isLocked ? lockCatalog(tx, caller.tenantId) : keepBulkCallsOut(tx, caller.tenantId),
          productsNamedBy(items, isLocked, tx, caller.tenantId),
        ])
        const outcome = applyBulkItems(stored, items)
        const mayWrite = isLocked || !concernsNames(outcome, items)
        if (mayWrite && outcome.changes.length > 0) await write(tx, caller.tenantId, stored, outcome.changes)
        return outcome
      },
      { rows: items.length },
    )
  // Most calls only update products, and need not wait for one another: not before one turns out to be about names is the catalog locked.
  let outcome = await apply(false)
  if (concernsNames(outcome, items)) outcome = await apply(true)
  const { created, updated, errors } = outcome
  return { created, updated, errors }
}

/** Whether the outcome depends on which barcodes and SKUs there are besides those of the products that the items update. */
function concernsNames({ created, changes, errors }: BulkOutcome, items: readonly BulkItem[]): boolean {
  const invalid = items.filter((item) => 'error' in item).length
  return created > 0 || errors.length > invalid || changes.some((change) => change.updatedFields?.includes('sku'))
}

function checkedItem(item: unknown): BulkItem {
  const { success, data, error } = bulkItem.safeParse(item)
  return success ? data : { barcode: barcodeOf(item), error: itemError(error) }
}

function barcodeOf(item: unknown): string {
  const barcode = typeof item === 'object' && item !== null && 'barcode' in item ? item.barcode : undefined
  return typeof barcode === 'string' ? barcode.trim() : ''
}

function productsNamedBy(
  items: readonly BulkItem[],
  withSkuOwners: boolean,
  tx: Transaction,
  tenantId: number,
): Promise<StoredProduct[]> {
  const valid = items.flatMap((item) => ('error' in item ? [] : [item]))
  const barcodes = valid.map(({ barcode }) => barcode)
  if (!withSkuOwners) return tx.runFirst(lockProducts, [tenantId, barcodes])
  return tx.runFirst(lockProductsAndSkuOwners, [
    tenantId,
    barcodes,
    valid.map(({ sku }) => sku).filter((sku) => typeof sku === 'string'),
  ])
}

async function write(
  tx: Transaction,
  tenantId: number,
  stored: readonly StoredProduct[],
  changes: readonly ProductChange[],
): Promise<void> {
  const last = new Map(changes.map((change) => [change.product.barcode, change]))
  const skus = new Set([...last.values()].map(({ product }) => product.sku))
  const released = stored.filter(({ barcode, sku }) => sku !== null && skus.has(sku) && last.get(barcode)?.product.sku !== sku)
  const moved = released.length === 0 ? [] : await tx.run(releaseSkus, [tenantId, released.map(({ place }) => place)])
  const placeNow = new Map(moved.map(({ barcode, place }) => [barcode, place]))
  await tx.runLast(writeProducts, [
    tenantId,
    changes.map(({ product }) => placeNow.get(product.barcode) ?? product.place),
    changes.map(({ product }) => product.barcode),
    changes.map(({ product }) => product.name),
    changes.map(({ product }) => product.sku),
    changes.map(({ product }) => product.category),
    changes.map(({ product }) => product.price),
    changes.map(({ product }) => product.weight),
    changes.map(({ updatedFields }) => (updatedFields === undefined ? null : JSON.stringify(updatedFields))),
    changes.map((change) => last.get(change.product.barcode) === change),
  ])
}
