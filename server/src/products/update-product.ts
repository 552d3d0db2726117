import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { recordEvents } from '../events/index.ts'
import { keepBulkCallsOut } from './catalog-lock.ts'
import { columnsOf, OPTIONAL_COLUMNS } from './columns.ts'
import { productDeleted, productUpdated } from './product-events.ts'
import type { productChanges, updatedProduct } from './schemas.ts'

type UpdatedProduct = z.infer<typeof updatedProduct>

const CHANGEABLE_COLUMNS = ['name', ...OPTIONAL_COLUMNS, 'weighable', 'sales_unit', 'is_active']

const changeProduct = statement<[tenantId: number, id: number, columns: string], UpdatedProduct>(
  'change_product',
  `with current as materialized (
     select p as product from products p where p.tenant_id = $1 and p.id = $2 for no key update
   ), wanted as materialized (
     select w.*, (c.product).is_active and not w.is_active as is_deletion, array(
       select case given when 'external_id' then 'sku' else given end from json_object_keys($3::json) given
       where to_jsonb(c.product) -> given is distinct from to_jsonb(w) -> given
     ) as updated_fields
     from current c cross join lateral json_populate_record(c.product, $3::json) w
   ), changed as (
     update products p set ${CHANGEABLE_COLUMNS.map((column) => `${column} = w.${column}`).join(', ')}, updated_at = clock_timestamp()
     from wanted w where p.tenant_id = $1 and p.id = w.id and w.updated_fields <> '{}'
     returning p.*, w.updated_fields, w.is_deletion
   ), event as (
     select 1 as position, 'product/updated' as topic, ${productUpdated('p', 'p.updated_fields')} as data from changed p
     union all
     select 2, 'product/deleted', ${productDeleted('p')} from changed p where p.is_deletion
   ), ${recordEvents('event')}
   select w.id, w.barcode, w.name, w.category, w.price, coalesce(c.updated_at, w.updated_at) as updated_at
   from wanted w left join changed c on c.id = w.id`,
)

/** Changes the given fields; null empties one. What changes nothing leaves no trace. Throws `not_found`, or `already_exists` for a SKU. */
export async function updateProduct(context: RequestContext, input: z.infer<typeof productChanges>): Promise<UpdatedProduct> {
  const { id, ...fields } = input
  const { tenantId } = context.caller
  const change = [tenantId, id, JSON.stringify(columnsOf(fields))] as [number, number, string]
  const product =
    typeof fields.sku === 'string'
      ? await context.db.transaction(async (tx) => {
          await keepBulkCallsOut(tx, tenantId)
          return tx.runOne(changeProduct, change)
        })
      : await context.db.runOne(changeProduct, change)
  if (product === undefined) throw new ServiceError('not_found', 'Product not found')
  return product
}
