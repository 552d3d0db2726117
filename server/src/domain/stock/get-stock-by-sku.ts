import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { availabilityOrNone, readByPolicy, type SeenAvailability, shownAvailability } from '../reservation-core/index.ts'
import { getStockBySkuInput, getStockBySkuOutput } from './schemas.ts'

type Stock = Omit<z.infer<typeof getStockBySkuOutput>, 'availability'> & SeenAvailability

const selectStock = (levels: string, columns = ''): string => `
  select p.id as product_id, p.external_id as sku, p.name as product_name, l.total_quantity, l.locations${columns}
  from products p cross join lateral (
    select coalesce(sum(v.quantity), 0) as total_quantity,
      coalesce(json_agg(json_build_object('location_id', v.location_id, 'quantity', v.quantity::float8) order by v.location_id), '[]') as locations
    from ${levels} v
  ) l
  where p.tenant_id = $1 and p.external_id = $2 and p.is_active`

/** Products at more locations are read on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_LEVELS = 100

const levels = (limit: string): string =>
  `(select location_id, quantity from stock_levels where tenant_id = $1 and product_id = p.id order by location_id limit ${limit})`

type BySku = [tenantId: number, sku: string]
const stockStatements = (suffix: string, columns: string) => ({
  few: statement<BySku, Stock>({
    name: `stock_by_sku${suffix}`,
    connection: 'read',
    sql: selectStock(levels(`${FEW_LEVELS + 1}`), columns),
  }),
  all: statement<BySku, Stock>({
    name: `stock_by_sku_at_many_locations${suffix}`,
    connection: 'slow',
    sql: selectStock(levels('all'), columns),
  }),
})
const plain = stockStatements('', '')
const reserving = stockStatements('_reserving', availabilityOrNone('p.id'))

const stockBySkuAsOf = statement<[tenantId: number, sku: string, before: Date], Stock>({
  name: 'stock_by_sku_as_of',
  // Many movements take long.
  connection: 'slow',
  sql: selectStock(
    `(
    select location_id, sum(new_quantity - previous_quantity) as quantity
    from stock_movements where tenant_id = $1 and product_id = p.id and created_at < $3 group by location_id)`,
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
  const { tenantId } = caller
  return readByPolicy(tenantId, {
    plain: () => readStock(db, plain, [tenantId, sku]),
    reserving: () => readStock(db, reserving, [tenantId, sku]),
    isReserving: (row) => row.is_reserving === true,
  })
}

async function readStock(db: Queryable, { few, all }: typeof plain, values: BySku): Promise<Stock | undefined> {
  const stock = await db.runOne(few, values)
  return stock === undefined || stock.locations.length <= FEW_LEVELS ? stock : db.runOne(all, values)
}

async function stockAsOf({ db, caller }: RequestContext, sku: string, before: Date): Promise<Stock | undefined> {
  return (await db.run(stockBySkuAsOf, [caller.tenantId, sku, before]))[0]
}
