import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { bulkResponse, expectedQuantities, type UnmadeUpdate, valuesOf, type ValuesOfUpdates } from './bulk-updates.ts'
import { comparedOnly } from './compared-changes.ts'
import { NAMED_PRODUCTS } from './product-by-id-or-sku.ts'
import { bulkSetLevelsInput, bulkSetLevelsOutput } from './schemas.ts'

/** The updates that `set_expected_levels` would not make, found by the same comparisons. */
const findUnmadeUpdates = statement<[...ValuesOfUpdates, expectedQuantities: (number | null)[]], UnmadeUpdate>({
  name: 'find_unmade_updates',
  connection: 'slow',
  sql: `with recursive item as materialized (
     select i.position, i.product_id as given_product_id, i.location_id, i.quantity, i.expected_quantity, ${NAMED_PRODUCTS.columns}
     from unnest($2::int[], $3::bigint[], $4::text[], $5::text[], $6::numeric[], $7::numeric[])
       i (position, product_id, sku, location_id, quantity, expected_quantity)
     ${NAMED_PRODUCTS.joins}
   ), stock_change as materialized (
     select position, product_id, location_id, quantity as amount, expected_quantity from item where product_id is not null
   ), ${comparedOnly('stock_change')}unmade as (
     select i.position, coalesce(i.given_product_id, i.product_id) as product_id, i.exists, c.found as current_quantity
     from item i left join compared_change c using (position)
     where i.product_id is null or not c.is_made
   )
   select position, product_id, exists, current_quantity from unmade`,
})

/** What a bulk call would respond with now. */
export const checkBulkLevels = endpoint({
  name: 'stock.checkBulk',
  scope: 'write:stock',
  method: 'POST',
  path: '/stock/bulk/check',
  summary: 'Check a bulk change of stock levels',
  description:
    'Takes what `POST /stock/bulk` takes, and responds as that call would respond now. Nothing is stored: no level changes, no movement is written, no location is created, no event is sent, and the audit log has no entry.',
  isAddition: true,
  changesNothing: true,
  input: bulkSetLevelsInput,
  output: bulkSetLevelsOutput,
  run: ({ db, caller }, input) =>
    bulkResponse(input.updates, (updates) =>
      db.run(findUnmadeUpdates, [...valuesOf(caller, updates), expectedQuantities(updates)]),
    ),
})
