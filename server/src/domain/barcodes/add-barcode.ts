import { statement } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { lockCatalog } from '../products/index.ts'
import { BARCODE_COLUMNS } from './barcode-columns.ts'
import { addBarcodeInput, MAX_BARCODES, productBarcode, type ProductBarcode } from './schemas.ts'

type Row = { refusal: 'fraction' | 'taken' | 'full' | null } & { [Field in keyof ProductBarcode]: ProductBarcode[Field] | null }

/** Inserts the barcode, or finds the same one. The catalog is locked: nobody else sets a barcode of the tenant. */
const insertBarcode = statement<
  [tenantId: number, productId: number, barcode: string, quantity: number, name: string | null],
  Row
>({
  name: 'insert_product_barcode',
  connection: 'write',
  sql: `with earlier as materialized (
     select * from product_barcodes where tenant_id = $1 and barcode = $3
   ), judged as materialized (
     select p.id, e.product_id = p.id and e.quantity = $4 and e.name is not distinct from $5::text as is_same, case
       when not p.weighable and $4 <> trunc($4) then 'fraction'
       when e.product_id is not null or exists (select from products where tenant_id = $1 and barcode = $3) then 'taken'
       when (select count(*) from product_barcodes where tenant_id = $1 and product_id = $2) >= ${MAX_BARCODES} then 'full'
     end as refusal
     from products p left join earlier e on true where p.tenant_id = $1 and p.id = $2
   ), created as (
     insert into product_barcodes (tenant_id, barcode, product_id, quantity, name)
     select $1, $3, id, $4, $5 from judged where refusal is null
     returning *
   ), stored as (
     select * from created union all select e.* from earlier e cross join judged j where j.is_same
   )
   select case when b.barcode is null then j.refusal end as refusal, ${BARCODE_COLUMNS('b')}
   from judged j left join stored b on true`,
})

/** Adds a barcode to a product. Adding the same again changes nothing. Throws `not_found`, `validation_error` and `already_exists`. */
export const addBarcode = endpoint({
  name: 'barcodes.add',
  scope: 'write:products',
  method: 'POST',
  path: '/products/{id}/barcodes',
  summary: 'Add a barcode',
  description: `Adds a barcode of the product or of a pack of it, such as a case of 12: calls that take a \`barcode\` then find the product by it, and a scan of a pack stands for its \`quantity\`. A product can have ${MAX_BARCODES} additional barcodes.

A barcode is unique among all barcodes of the tenant, including those of deleted products. Adding the same barcode with the same content again changes nothing.`,
  errors: ['already_exists'],
  isAddition: true,
  input: addBarcodeInput,
  output: productBarcode,
  run: ({ db, caller: { tenantId } }, { id, barcode, quantity, name }) =>
    db.transaction(async (tx) => {
      await lockCatalog(tx, tenantId)
      return addedOf(await tx.runOne(insertBarcode, [tenantId, id, barcode, quantity ?? 1, name ?? null]), barcode)
    }),
})

function addedOf(row: Row | undefined, barcode: string): ProductBarcode {
  if (row === undefined) throw new ServiceError('not_found', 'Product not found')
  const { refusal, ...added } = row
  switch (refusal) {
    case 'fraction':
      throw invalidField('quantity', 'must be an integer, because the product is not weighable')
    case 'taken':
      throw new ServiceError('already_exists', `The barcode "${barcode}" exists already`)
    case 'full':
      throw invalidField('barcode', `the product has ${MAX_BARCODES} additional barcodes already`)
    default:
      return added as ProductBarcode
  }
}
