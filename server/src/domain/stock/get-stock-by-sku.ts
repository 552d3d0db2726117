import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { type Availability, availabilityOf, IS_RESERVING, readByPolicy, shownAvailability } from '../reserving/index.ts'
import { getStockBySkuInput, getStockBySkuOutput } from './schemas.ts'

type Stock = Omit<z.infer<typeof getStockBySkuOutput>, 'availability'> & {
  availability: Availability | null
  is_reserving: boolean
}

const selectStock = (levels: string, availability: string): string => `
  select p.id as product_id, p.external_id as sku, p.name as product_name, l.total_quantity, l.locations, ${availability} as availability, ${IS_RESERVING} as is_reserving
  from products p cross join lateral (
    select coalesce(sum(v.quantity), 0) as total_quantity,
      coalesce(json_agg(json_build_object('location_id', v.location_id, 'quantity', v.quantity::float8) order by v.location_id), '[]') as locations
    from ${levels} v
  ) l
  where p.tenant_id = $1 and p.external_id = $2 and p.is_active`

/** Products at more locations are read on the slow lane: on the shared connections they would hold up other requests. */
const FEW_LEVELS = 100

const levels = (limit: string): string =>
  `(select location_id, quantity from stock_levels where tenant_id = $1 and product_id = p.id order by location_id limit ${limit})`

type BySku = [tenantId: number, sku: string]
/** Two statements, by name, with the availability or without it. */
const stockStatements = (suffix: string, availability: string) => ({
  few: statement<BySku, Stock>({
    name: `stock_by_sku${suffix}`,
    lane: 'read',
    sql: selectStock(levels(`${FEW_LEVELS + 1}`), availability),
  }),
  all: statement<BySku, Stock>({
    name: `stock_by_sku_at_many_locations${suffix}`,
    lane: 'slow',
    sql: selectStock(levels('all'), availability),
  }),
})
const WITHOUT = stockStatements('', 'null::json')
const WITH = stockStatements('_reserving', availabilityOf('p.id'))

const stockBySkuAsOf = statement<[tenantId: number, sku: string, before: Date], Stock>({
  name: 'stock_by_sku_as_of',
  lane: 'slow',
  sql: selectStock(
    `(
    select location_id, sum(new_quantity - previous_quantity) as quantity
    from stock_movements where tenant_id = $1 and product_id = p.id and created_at < $3 group by location_id)`,
    'null::json',
  ),
})

/** The stock of an active product, in total and by location, now or at a past time. Throws `not_found`. */
export const getStockBySku = endpoint({
  name: 'stock.getBySku',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock/sku/{sku}',
  summary: 'Get stock by SKU',
  description: 'Stock of an active product, in total and by location, now or at a past time.',
  readsReplica: (input) => 'as_of' in input,
  input: getStockBySkuInput,
  output: getStockBySkuOutput,
  run: async (context, input) => {
    const row = await (input.as_of === undefined ? stockNow(context, input.sku) : stockAsOf(context, input.sku, input.as_of))
    if (row === undefined) throw new ServiceError('not_found', 'Product not found')
    return shownAvailability(row)
  },
})

function stockNow({ db, caller }: RequestContext, sku: string): Promise<Stock | undefined> {
  return readByPolicy(caller.tenantId, async (isReserving) => {
    const { few, all } = isReserving ? WITH : WITHOUT
    const stock = await db.runOne(few, [caller.tenantId, sku])
    return stock === undefined || stock.locations.length <= FEW_LEVELS ? stock : db.runOne(all, [caller.tenantId, sku])
  })
}

async function stockAsOf({ db, caller }: RequestContext, sku: string, before: Date): Promise<Stock | undefined> {
  // Many movements take a long time.
  return (await db.run(stockBySkuAsOf, [caller.tenantId, sku, before]))[0]
}
