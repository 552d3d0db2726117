import type { z } from 'zod'
import { type Statement, statement } from '../../database/statements/statement.ts'
import { isFoundByIndex, recordsContaining, recordsContainingShort } from '../../database/statements/text-search.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { type Availability, availabilityOf } from '../reservation-core/index.ts'
import { stockOverviewInput, stockOverviewOutput } from './schemas.ts'

type Product = z.infer<typeof stockOverviewOutput>['products'][number]
/** `availability` is null unless the tenant reserves. */
type Listed = Omit<Product, 'availability'> & { availability: Availability | null }
/** An empty page is one row of nulls and the total. */
type Row = { total: number } & (Listed | { [Column in keyof Listed]: null })
type Values = [tenantId: number, offset: number, limit: number, locationId: string | undefined, low: boolean, ...search: string[]]

const SEARCHED = {
  table: 'products',
  texts: ['name', 'barcode', 'external_id'],
  columns: ['id', 'is_active', 'minimum_threshold', 'created_at'],
}
const SOURCES = {
  all: '(select * from products where tenant_id = $1)',
  containing: recordsContaining(SEARCHED, '$6::text'),
  containingShort: recordsContainingShort(SEARCHED, '$6::text'),
}
const ORDERS = {
  newest: { column: 'created_at', of: (row: string) => `${row}.created_at desc, ${row}.id desc` },
  shortage: { column: 'shortage', of: (row: string) => `${row}.shortage desc nulls last, ${row}.id desc` },
}
type Order = keyof typeof ORDERS

/** `warehouse_stock` has one row for each product and warehouse. */
const quantityOf = (id: string): string => `coalesce((
       select sum(w.quantity) from warehouse_stock w where w.tenant_id = $1 and w.product_id = ${id}
     ), 0)::float8`

const IS_AT_LOCATION = `($4::text is null or exists (select from stock_levels v where v.tenant_id = $1 and v.product_id = s.id and v.location_id = $4))`

/** The products that match, where no quantity decides about it. */
const anyOf = (source: string): string => `matching as not materialized (
     select s.id, s.created_at from ${source} s where s.is_active and ${IS_AT_LOCATION} and $5::boolean is not null
   )`

/** The products that match, with their shortage: the stock of those with a threshold is read once each, and of no others. */
const withShortage = (source: string): string => `matching as materialized (
     select s.id, s.created_at, q.shortage from ${source} s cross join lateral (
       select case when s.minimum_threshold is not null then s.minimum_threshold - ${quantityOf('s.id')} end as shortage limit 1
     ) q
     where s.is_active and ${IS_AT_LOCATION} and (not $5::boolean or q.shortage > 0)
   )`

/**
 * Page, total and levels come from the same snapshot. The array makes the products of the page a lookup by id in any plan, even a plan made
 * on an empty table.
 */
const overview = (name: string, matching: string, { column, of }: (typeof ORDERS)[Order]) =>
  statement<Values, Row>({
    name,
    connection: 'slow',
    sql: `with ${matching}, total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select m.id, m.${column} from matching m order by ${of('m')} limit $3::bigint offset $2::bigint
   )
   select t.total, p.id as product_id, p.barcode, p.external_id, p.name, p.minimum_threshold,
     case when p.id is not null then ${quantityOf('p.id')} end as quantity, (
     select coalesce(json_agg(json_build_object('location_id', v.location_id, 'location_code', l.code, 'quantity', v.quantity) order by v.location_id), '[]')
     from stock_levels v cross join lateral (select code from locations where tenant_id = $1 and id = v.location_id limit 1) l
     where v.tenant_id = $1 and v.product_id = p.id
   ) as levels, case when p.id is not null then ${availabilityOf('p.id')} end as availability
   from total t
   left join products p on p.tenant_id = $1 and p.id = any (array(select id from page))
   left join page m on m.id = p.id
   order by ${of('m')}`,
  })

const bySource = (of: (source: keyof typeof SOURCES, suffix: string) => Statement<Values, Row>) => ({
  all: of('all', ''),
  containing: of('containing', '_searched'),
  containingShort: of('containingShort', '_searched_short'),
})

const OVERVIEWS = {
  newest: bySource((source, suffix) => overview(`stock_overview${suffix}`, anyOf(SOURCES[source]), ORDERS.newest)),
  low: bySource((source, suffix) => overview(`low_stock_overview${suffix}`, withShortage(SOURCES[source]), ORDERS.newest)),
  shortage: bySource((source, suffix) =>
    overview(`stock_overview_by_shortage${suffix}`, withShortage(SOURCES[source]), ORDERS.shortage),
  ),
}

/** Products with their stock by location. */
export const stockOverview = endpoint({
  name: 'stock.overview',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock',
  summary: 'List stock by product',
  description: 'Active products with their total stock and their stock by location. Newest products first.',
  isAddition: true,
  readsReplica: true,
  input: stockOverviewInput,
  output: stockOverviewOutput,
  run: async ({ db, caller }, { search, location_id, low, sort, page, limit }) => {
    const rows = await db.run(OVERVIEWS[sort ?? (low ? 'low' : 'newest')][sourceFor(search)], [
      caller.tenantId,
      (page - 1) * limit,
      limit,
      location_id,
      low,
      ...(search === undefined ? [] : [search]),
    ])
    const products: Product[] = []
    for (const { total: _, ...row } of rows) if (row.product_id !== null) products.push(shown(row))
    return { products, pagination: paginationOf({ page, limit }, rows[0]?.total ?? 0) }
  },
})

function shown({ availability, ...product }: Listed): Product {
  return availability === null ? product : { ...product, availability }
}

function sourceFor(search: string | undefined): keyof typeof SOURCES {
  if (search === undefined) return 'all'
  return isFoundByIndex(search) ? 'containing' : 'containingShort'
}
