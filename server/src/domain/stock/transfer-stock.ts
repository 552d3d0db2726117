import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges } from './apply-stock-changes.ts'
import { NAMED_PRODUCTS, requireNamedProduct } from './product-by-id-or-sku.ts'
import { transferStockInput, transferStockOutput } from './schemas.ts'
import { shortage } from './shortage.ts'

interface Transfer {
  product_id: number | null
  exists: boolean
  available: number | null
  from: z.infer<typeof transferStockOutput>['from'] | null
  to: z.infer<typeof transferStockOutput>['to'] | null
}

const transferSide = (movement: string): string =>
  `case when ${movement}.id is not null then json_build_object('location_id', ${movement}.location_id, 'previous_quantity', ${movement}.previous_quantity::float8,
     'new_quantity', ${movement}.new_quantity::float8, 'movement_id', ${movement}.id::text) end`

const transferStockLevel = statement<
  [
    tenantId: number,
    productId: number | null,
    sku: string | null,
    fromLocationId: string,
    toLocationId: string,
    quantity: number,
    reason: string | null,
    defaultWarehouseId: number,
    createdBy: string,
  ],
  Transfer
>({
  name: 'transfer_stock_level',
  connection: 'write',
  sql: `with item as materialized (
     select ${NAMED_PRODUCTS.columns} from (values ($2::bigint, $3::text)) i (product_id, sku)
     ${NAMED_PRODUCTS.joins}
   ), stock_change as materialized (
     select c.position, p.product_id, c.location_id, c.amount, 'TRANSFER' as movement_type, $7::text as reason,
       null::bigint as user_id, null::bigint as order_id, c.other_location_id
     from item p,
       (values (1, $4::text, -$6::numeric, $5::text), (2, $5, $6, $4)) c (position, location_id, amount, other_location_id)
     where p.product_id is not null
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'together',
     amount: 'relative',
     eventReason: 'transfer',
     defaultWarehouse: '$8::bigint',
     createdBy: '$9::text',
   })}, ${recordEvents('stock_event')}
   select p.product_id, p.exists, s.available, ${transferSide('f')} as "from", ${transferSide('t')} as "to"
   from item p
   left join short_level s on true
   left join stock_movement f on f.position = 1
   left join stock_movement t on t.position = 2`,
})

/**
 * Moves stock of a product from one location to another. Throws `not_found`, `validation_error` when product_id and sku name different
 * products, and `adjustment_error` when the source holds less or the destination would exceed the maximum.
 */
export const transferStock = endpoint({
  name: 'stock.transfer',
  scope: 'write:stock',
  method: 'POST',
  path: '/stock/transfer',
  summary: 'Move stock between locations',
  description: 'Moves stock of a product from one location to another, all or nothing, and records two `TRANSFER` movements.',
  errors: ['not_found', 'adjustment_error'],
  isAddition: true,
  input: transferStockInput,
  output: transferStockOutput,
  run: async (context, input) => {
    const { tenantId, defaultWarehouse, keyName } = context.caller
    const row = requireNamedProduct(
      await context.db.runOne(transferStockLevel, [
        tenantId,
        input.product_id ?? null,
        input.sku ?? null,
        input.from_location_id,
        input.to_location_id,
        input.quantity,
        input.reason ?? null,
        defaultWarehouse.id,
        keyName,
      ]),
    )
    if (row.from === null || row.to === null) throw shortage(input.from_location_id, input.quantity, row.available)
    return { product_id: row.product_id, quantity: input.quantity, from: row.from, to: row.to }
  },
})
