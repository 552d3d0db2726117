import type { z } from 'zod'
import { statement, type Statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { pageFromRollups } from '../../database/rollups/list-from-rollups.ts'
import { listMovementsInput, listMovementsOutput, type stockMovement } from './schemas.ts'

type Query = z.infer<typeof listMovementsInput>
type Movement = z.infer<typeof stockMovement>
type Filter = 'product_id' | 'location_id' | 'movement_type'
type Row = { total: number } & (
  | { [Field in keyof Movement]: null }
  | (Omit<Movement, 'user_id' | 'order_id'> & { user_id: number | null; order_id: number | null })
)
type Values = [
  tenantId: number,
  startDate: string | null,
  endDate: string | null,
  offset: number,
  limit: number,
  ...filters: (number | string | null)[],
]
type List = Statement<Values, Row>

const FILTER_TYPES: Record<Filter, string> = { product_id: 'bigint', location_id: 'text', movement_type: 'text' }
const FILTERS = Object.keys(FILTER_TYPES) as Filter[]

/** From this offset on, a page reads so many index entries that it would hold up the shared connections. */
const FAR_OFFSET = 1_000

/** $2 to $5: first day, last day, number of movements before the page, page size. */
const DAYS = `between coalesce($2::date, '-infinity') and coalesce($3::date, 'infinity')`

/** The rows of a `page` CTE of ids, with the total of a `total` CTE. Ids are found first, so that skipping rows reads only an index. */
const SELECT_PAGE = `
   select t.total, m.id::text as id, m.product_id, p.name as product_name, m.location_id, m.movement_type, m.quantity, m.previous_quantity,
     m.new_quantity, m.reason, m.user_id, m.order_id, m.created_at
   from total t
   left join (page join stock_movements m on m.tenant_id = $1 and m.id = page.id join products p on p.tenant_id = $1 and p.id = m.product_id) on true
   order by m.created_at desc, m.id desc`

/** The tables that count movements by day and by month, with their filter columns. */
const COUNTS = {
  product_id: { daily: 'movement_product_counts', monthly: 'movement_product_month_counts' },
  location_id: { daily: 'movement_location_counts', monthly: 'movement_location_month_counts' },
  movement_type: { daily: 'movement_counts', monthly: 'movement_month_counts' },
}

/**
 * Lists by the given filters. The counts of matching movements give the total and the range of each day's movements on the page, so days
 * without any are not read, however deep the page or rare the type.
 */
function listByCounts(filters: readonly Filter[]): List {
  const matches = [
    'tenant_id = $1',
    ...filters.map((filter, index) => `${filter} = $${index + 6}::${FILTER_TYPES[filter]}`),
  ].join(' and ')
  const counts = {
    ...COUNTS[filters[0] ?? 'movement_type'],
    changes: 'movement_count_changes',
    matches,
    period: { firstDay: '$2', lastDay: '$3' },
  }
  return statement({
    name: ['list_movements', ...filters].join('_by_'),
    connection: 'read',
    sql: `with ${pageFromRollups(counts, { offset: '$4::bigint', limit: '$5::bigint' })}, page as materialized (
       select m.id from page_day d cross join lateral (
         select id from stock_movements where ${matches} and created_at >= d.since and created_at < d.before
         order by created_at desc, id desc limit d.taken offset d.skipped
       ) m
     )${SELECT_PAGE}`,
  })
}

const LISTS = new Map(subsets(FILTERS).map((filters) => [filters.join(), listByCounts(filters)]))

/** The movements of an order are counted directly: usually they are few. */
const LIST_BY_ORDER: List = statement({
  name: 'list_movements_by_order',
  connection: 'slow',
  sql: `with matching as materialized (
     select id, created_at from stock_movements
     where tenant_id = $1 and order_id = $6::bigint and (created_at at time zone 'UTC')::date ${DAYS}
       and ($7::bigint is null or product_id = $7) and ($8::text is null or location_id = $8) and ($9::text is null or movement_type = $9)
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select id from matching order by created_at desc, id desc limit $5::bigint offset $4::bigint
   )${SELECT_PAGE}`,
})

/** Lists stock movements, newest first, with their exact number. */
export const listMovements = endpoint({
  name: 'stock.movements',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock/movements',
  summary: 'List stock movements',
  description: 'Newest first. Filters can be combined.',
  readsReplica: true,
  input: listMovementsInput,
  output: listMovementsOutput,
  run: async (context, query) => {
    const offset = (query.page - 1) * query.limit
    const [list, filterValues] = listFor(query)
    const values: Values = [
      context.caller.tenantId,
      query.start_date ?? null,
      query.end_date ?? null,
      offset,
      query.limit,
      ...filterValues,
    ]
    const rows = await context.db.run(list, values, offset < FAR_OFFSET ? {} : { connection: 'slow' })
    return { movements: rows.flatMap(movementOf), pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})

function listFor(query: Query): [List, (number | string | null)[]] {
  if (query.order_id !== undefined) return [LIST_BY_ORDER, [query.order_id, ...FILTERS.map((filter) => query[filter] ?? null)]]
  const given = FILTERS.filter((filter) => query[filter] !== undefined)
  return [LISTS.get(given.join()) as List, given.map((filter) => query[filter] ?? null)]
}

/** Drops the row that only holds the total of an empty page. */
function movementOf(row: Row): Movement[] {
  if (row.id === null) return []
  const { total: _, user_id, order_id, ...movement } = row
  return [{ ...movement, ...(user_id !== null && { user_id }), ...(order_id !== null && { order_id }) }]
}

function subsets<T>(items: readonly T[]): T[][] {
  let sets: T[][] = [[]]
  for (const item of items) sets = sets.concat(sets.map((set) => [...set, item]))
  return sets
}
