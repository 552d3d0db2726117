import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { keepBulkCallsOut } from './catalog-lock.ts'
import { columnsOf, OPTIONAL_COLUMNS } from './columns.ts'
import { productDeletedData, productUpdatedData } from './product-events.ts'
import { NO_TOLERANCE } from './tolerance.ts'
import { updateProductInput, updateProductOutput } from './schemas.ts'

type ProductUpdate = z.infer<typeof updateProductInput>
type UpdatedProduct = z.infer<typeof updateProductOutput>
/** `may_have_tolerance` is false if a tolerance of a product that is not weighable was refused. */
type Row = UpdatedProduct & { may_have_tolerance: boolean }
type Values = [tenantId: number, id: number, columns: string]

const CHANGEABLE_COLUMNS = ['name', ...OPTIONAL_COLUMNS, 'weighable', 'sales_unit', 'pick_tolerance_percent', 'is_active']

const changeProduct = statement<Values, Row>({
  name: 'change_product',
  connection: 'write',
  // The columns of a stored product; the name is never null.
  notNull: ['id', 'barcode', 'name', 'updated_at', 'may_have_tolerance'],
  sql: `with current as materialized (
     select p as product from products p where p.tenant_id = $1 and p.id = $2 for no key update
   ), wanted as materialized (
     select w.*, (c.product).is_active and not w.is_active as is_deletion, w.weighable or w.pick_tolerance_percent = 0 as may_have_tolerance, array(
       select case given when 'external_id' then 'sku' else given end from json_object_keys($3::json) given
       where to_jsonb(c.product) -> given is distinct from to_jsonb(w) -> given
     ) as updated_fields
     from current c cross join lateral json_populate_record(c.product, $3::json) w
   ), changed as (
     update products p set ${CHANGEABLE_COLUMNS.map((column) => `${column} = w.${column}`).join(', ')}, updated_at = clock_timestamp()
     from wanted w where p.tenant_id = $1 and p.id = w.id and w.updated_fields <> '{}' and w.may_have_tolerance
     returning p.*, w.updated_fields, w.is_deletion
   ), event as (
     select 1 as position, 'product/updated' as topic, ${productUpdatedData('p', 'p.updated_fields')} as data from changed p
     union all
     select 2, 'product/deleted', ${productDeletedData('p')} from changed p where p.is_deletion
   ), ${recordEvents('event', { areWithoutOrders: true })}
   select w.id, w.barcode, w.name, w.category, w.price, coalesce(c.updated_at, w.updated_at) as updated_at, w.may_have_tolerance
   from wanted w left join changed c on c.id = w.id`,
})

/**
 * Changes the given fields; null clears a field. Without a change, nothing is written. Throws `not_found`, `already_exists` (SKU), and
 * `validation_error` when a product that is not weighable would have a tolerance.
 */
export const updateProduct = endpoint({
  name: 'products.update',
  scope: 'write:products',
  method: 'PUT',
  path: '/products/{id}',
  summary: 'Update a product',
  description: 'Only the given fields change; null clears an optional field. Sends `product/updated` when a field changed.',
  errors: ['already_exists'],
  input: updateProductInput,
  output: updateProductOutput,
  run: async (context, input) => {
    const row = await change(context, input)
    if (row === undefined) throw new ServiceError('not_found', 'Product not found')
    const { may_have_tolerance: isValid, ...product } = row
    if (!isValid) throw invalidField('pick_tolerance_percent', NO_TOLERANCE)
    return product
  },
})

/** A call that sets an SKU excludes bulk calls, which expect that SKUs stay with their products. */
function change({ db, caller }: RequestContext, { id, ...fields }: ProductUpdate): Promise<Row | undefined> {
  const { tenantId } = caller
  const { pick_tolerance_percent: tolerance } = fields
  const columns = columnsOf({ ...fields, pick_tolerance_percent: tolerance === null ? 0 : tolerance })
  const values: Values = [tenantId, id, JSON.stringify(columns)]
  if (typeof fields.sku !== 'string') return db.runOne(changeProduct, values)
  return db.transaction(async (tx) => {
    await keepBulkCallsOut(tx, tenantId)
    return tx.runOne(changeProduct, values)
  })
}
