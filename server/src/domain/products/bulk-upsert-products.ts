import type { Queryable, Transaction } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import {
  allUpdated,
  applyBulkItems,
  type BulkItem,
  type BulkOutcome,
  type ProductChange,
  type StoredProduct,
} from './apply-bulk-items.ts'
import { ADDITIONAL_BARCODES, bulkItemsOf, bulkResponse, namesIn, validAmong, PRODUCTS_AND_SKU_OWNERS } from './bulk-items.ts'
import { lockCatalog } from './catalog-lock.ts'
import { productCreatedData, productUpdatedData } from './product-events.ts'
import { bulkUpsertProductsInput, bulkUpsertProductsOutput } from './schemas.ts'
import { updateKnownProducts } from './update-known-products.ts'

const lockProductsAndSkuOwners = statement<[tenantId: number, barcodes: string[], skus: string[]], StoredProduct>({
  name: 'lock_products_and_sku_owners',
  connection: 'write',
  sql: `${PRODUCTS_AND_SKU_OWNERS} for no key update`,
})

/** In the transaction that has locked the catalog: nobody adds one before its end. */
const lookForAdditional = statement<[tenantId: number, barcodes: string[]], { barcode: string }>({
  name: 'look_for_additional_barcodes',
  connection: 'slow',
  sql: ADDITIONAL_BARCODES,
})

/** For SKUs that move from one product to another: uniqueness is checked row by row, so the old product must release the SKU first. */
const releaseSkus = statement<[tenantId: number, tupleIds: string[]], { barcode: string; tuple_id: string }>({
  name: 'release_skus',
  connection: 'write',
  sql: 'update products set external_id = null where tenant_id = $1 and ctid = any($2::tid[]) returning barcode, ctid as tuple_id',
})

// An event shows the product right after its change. A later item of the call may change the product again; only the last version is
// stored. The products are locked and updated by ctid, which is cheaper than another index lookup.
const writeProducts = statement<
  [
    tenantId: number,
    tupleIds: (string | null)[],
    barcodes: string[],
    names: string[],
    skus: (string | null)[],
    categories: (string | null)[],
    prices: (number | null)[],
    weights: (number | null)[],
    tolerances: (number | null)[],
    updatedFields: (string | null)[],
    areLast: boolean[],
  ],
  never
>({
  name: 'write_products',
  connection: 'write',
  sql: `with change as materialized (
     select * from unnest($2::tid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::float8[], $8::float8[], $9::numeric[], $10::json[],
       $11::boolean[]) with ordinality c (tuple_id, barcode, name, external_id, category, price, weight, pick_tolerance_percent, updated_fields, is_last, position)
   ), created as (
     insert into products as p (tenant_id, barcode, name, external_id, category, price, weight, created_at, updated_at)
     select $1, barcode, name, external_id, category, price, weight, statement_timestamp(), statement_timestamp() from change where tuple_id is null and is_last
     returning p.id, p.barcode
   ), changed as (
     update products p set name = c.name, external_id = c.external_id, category = c.category, price = c.price, weight = c.weight,
       pick_tolerance_percent = c.pick_tolerance_percent,
       updated_at = statement_timestamp()
     from change c where p.tenant_id = $1 and p.ctid = c.tuple_id and c.is_last
     returning p.id, p.barcode
   ), written as (
     select * from created union all select * from changed
   ), event as (
     select p.position, case when p.updated_fields is null then 'product/created' else 'product/updated' end as topic,
       case when p.updated_fields is null then ${productCreatedData('p')} else ${productUpdatedData('p', 'p.updated_fields')} end as data
     from (
       select w.id, c.position, c.updated_fields, c.barcode, c.name, c.external_id, c.category, c.price, c.weight, null::text as description,
         null::float8 as cost, statement_timestamp() as created_at, statement_timestamp() as updated_at
       from change c join written w using (barcode)
     ) p
   ), ${recordEvents('event', { areWithoutOrders: true })}
   select`,
})

/** Creates and updates many products, in the order given. An item that fails is reported and does not stop the others. */
export const bulkUpsertProducts = endpoint({
  name: 'products.bulk',
  scope: 'write:products',
  method: 'POST',
  path: '/products/bulk',
  summary: 'Create or update many products',
  description:
    'Products are matched by barcode: an existing product is updated, a new one is created and needs a name. Only the given fields change; null clears an optional field. ' +
    'An item that fails is reported in `errors` and does not stop the others. Safe to retry.',
  input: bulkUpsertProductsInput,
  output: bulkUpsertProductsOutput,
  run: async ({ db, caller }, input) => {
    const items = await bulkItemsOf(input.products)
    const valid = validAmong(items)
    // Most calls only update products and need not wait for each other.
    if (valid.length === 0 || (await updateKnownProducts(db, caller.tenantId, valid))) return bulkResponse(allUpdated(items))
    return bulkResponse(await applyInTurn(db, caller.tenantId, items))
  },
})

/** Applies the items one after the other, while no other call changes which barcodes and SKUs there are. */
function applyInTurn(db: Queryable, tenantId: number, items: readonly BulkItem[]): Promise<BulkOutcome> {
  return db.transaction(
    async (tx) => {
      // Pipelined: sent together, run one after the other.
      const [, stored, additional] = await Promise.all([
        lockCatalog(tx, tenantId),
        tx.runFirst(lockProductsAndSkuOwners, [tenantId, ...namesIn(items)]),
        additionalAmong(items, tx, tenantId),
      ])
      const outcome = applyBulkItems(stored, items, additional)
      if (outcome.changes.length > 0) await write(tx, tenantId, stored, outcome.changes)
      return outcome
    },
    { rows: items.length },
  )
}

async function additionalAmong(items: readonly BulkItem[], tx: Transaction, tenantId: number): Promise<Set<string>> {
  const [barcodes] = namesIn(items)
  const found = await tx.runFirst(lookForAdditional, [tenantId, barcodes])
  return new Set(found.map(({ barcode }) => barcode))
}

/** Writes the changes of a call, of which a product may have several. */
async function write(
  tx: Transaction,
  tenantId: number,
  stored: readonly StoredProduct[],
  changes: readonly ProductChange[],
): Promise<void> {
  const last = new Map(changes.map((change) => [change.product.barcode, change]))
  const released = thoseThatLoseSku(stored, last)
  const moved = released.length === 0 ? [] : await tx.run(releaseSkus, [tenantId, released.map(({ tuple_id }) => tuple_id)])
  // Releasing an SKU has given the row another ctid.
  const tupleIdNow = new Map(moved.map(({ barcode, tuple_id }) => [barcode, tuple_id]))
  await tx.runLast(writeProducts, [
    tenantId,
    changes.map(({ product }) => tupleIdNow.get(product.barcode) ?? product.tuple_id),
    changes.map(({ product }) => product.barcode),
    changes.map(({ product }) => product.name),
    changes.map(({ product }) => product.sku),
    changes.map(({ product }) => product.category),
    changes.map(({ product }) => product.price),
    changes.map(({ product }) => product.weight),
    changes.map(({ product }) => product.pick_tolerance_percent),
    changes.map(({ updatedFields }) => (updatedFields === undefined ? null : JSON.stringify(updatedFields))),
    changes.map((change) => last.get(change.product.barcode) === change),
  ])
}

/** The products whose SKU another product has after the call. `last` has the last change of each product, by barcode. */
function thoseThatLoseSku(stored: readonly StoredProduct[], last: ReadonlyMap<string, ProductChange>): StoredProduct[] {
  const skus = new Set([...last.values()].map(({ product }) => product.sku))
  return stored.filter(({ barcode, sku }) => sku !== null && skus.has(sku) && last.get(barcode)?.product.sku !== sku)
}
