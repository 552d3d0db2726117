import { pageByCounts, totalByCounts, type CountedRecords } from '../counts/index.ts'
import { statement, type Statement } from '../database/statement.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { orderDetail } from './order-detail.ts'
import type { OrderList } from './schemas.ts'

type Listed = OrderList['orders'][number]

/** An order of the page; or nulls besides the total, when the page is empty. */
export type ListRow = { total: number } & (
  | { [Column in keyof Omit<Listed, 'state_name'>]-?: null }
  | (Omit<Listed, 'state_name' | 'order_detail'> & { order_detail: NonNullable<Listed['order_detail']> | null })
)

export type ListValues = [
  tenantId: number,
  stateIds: readonly number[],
  startDate: string | null,
  endDate: string | null,
  offset: number,
  limit: number,
  includeDetails: boolean,
  ...filters: string[],
]
export type ListStatement = Statement<ListValues, ListRow>

/** Lines of a page that is read and sent at once: some 100 kB. */
const MAX_LINES_AT_ONCE = 500

const IN_STATES = 'state_id = any ($2::smallint[])'
const SINCE = `coalesce($3::date::timestamp at time zone 'UTC', '-infinity')`
const BEFORE = `coalesce(($4::date + 1)::timestamp at time zone 'UTC', 'infinity')`
const NEWEST_FIRST = 'order by created_at desc, id desc'

/** Orders of a page that is sent in pieces, by their ids, in its order. `total` is not asked for. */
export const LIST_PIECE = statement<[tenantId: number, ids: readonly number[]], ListRow>(
  'list_orders_piece',
  `select 0::bigint as total, o.id, o.order_tenant_id, o.state_id, o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at,
     ${orderDetail('o.id')} as order_detail
   from orders o where o.tenant_id = $1 and o.id = any ($2::bigint[])
   order by o.created_at desc, o.id desc`,
)

/**
 * The answer of the CTEs `total` and `page` (id). Only the orders of the page are read as rows, all others in an index. The array makes
 * them looked up by id in any plan, also in one that was made while the table was empty.
 */
const SELECT_PAGE = `
   select t.total, o.id, o.order_tenant_id, o.state_id, o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at,
     case when $7::boolean and sum(o.items_count) over () <= ${MAX_LINES_AT_ONCE} then ${orderDetail('o.id')} end as order_detail
   from total t left join orders o on o.tenant_id = $1 and o.id = any (array(select id from page))
   order by o.created_at desc, o.id desc`

/**
 * The ids of the page. An index has the orders of one state in the order of the list; the states are merged, each of them read no
 * further than the page, so that it does not matter how rare a state is.
 */
function pageOfStates(condition: string, since: string, before: string, offset: string): string {
  const states = Object.values(ORDER_STATES).map(
    (state) => `
         (select id, created_at from orders
          where tenant_id = $1 and ${condition} and state_id = ${state} and ${state} = any ($2::smallint[]) and created_at >= ${since} and created_at < ${before}
          ${NEWEST_FIRST} limit ${offset} + $6::bigint)`,
  )
  // The literal limit is for the planner, which would take the parameter alone for a tenth of the table.
  return `page as materialized (
       select id from (
         select * from (${states.join(' union all ')}
         ) o ${NEWEST_FIRST} limit 100 offset ${offset}
       ) o limit $6::bigint
     )`
}

const BY_STATE = { changes: 'order_count_changes', firstDay: '$3', lastDay: '$4', matches: `tenant_id = $1 and ${IN_STATES}` }
const BY_DAY = { ...BY_STATE, daily: 'order_counts', monthly: 'order_month_counts' }
// The orders of an assembly date are created within weeks of it: there is no need for months.
const BY_ASSEMBLY_DATE = {
  ...BY_STATE,
  daily: 'order_assembly_counts',
  matches: `${BY_STATE.matches} and assembly_date = $8::date`,
}

const TOTAL_OF_STATES = `total as materialized (
       select coalesce(sum(n), 0)::bigint as total from (
         select count as n from order_totals where ${BY_STATE.matches}
         union all
         select change from order_count_changes where ${BY_STATE.matches}
       ) c
     )`

/** For a page near the beginning: what is before it is passed over one by one. */
function nearPage(name: string, total: string, condition: string): ListStatement {
  return statement(name, `with ${total}, ${pageOfStates(condition, SINCE, BEFORE, '$5::bigint')}${SELECT_PAGE}`)
}

/** For a page far from the beginning: only the days are read that it lies on. Passing over 900,000 orders one by one takes 80 ms. */
function farPage(name: string, counts: CountedRecords, condition: string): ListStatement {
  const days = pageByCounts(counts, { offset: '$5::bigint', limit: '$6::bigint' })
  const page = pageOfStates(
    condition,
    `(select min(since) from page_day)`,
    `(select max(before) from page_day)`,
    `(select max(skipped) from page_day)`,
  )
  return statement(name, `with ${days}, ${page}${SELECT_PAGE}`)
}

const OF_ASSEMBLY_DATE = 'assembly_date = $8::date'

/** Lists by the filters of which numbers are kept. `$8` is the assembly date. */
export const LIST = {
  all: nearPage('list_orders', TOTAL_OF_STATES, 'true'),
  byDay: nearPage('list_orders_by_day', totalByCounts(BY_DAY), 'true'),
  byAssemblyDate: nearPage('list_orders_by_assembly_date', totalByCounts(BY_ASSEMBLY_DATE), OF_ASSEMBLY_DATE),
  farByDay: farPage('list_orders_far', BY_DAY, 'true'),
  farByAssemblyDate: farPage('list_orders_far_by_assembly_date', BY_ASSEMBLY_DATE, OF_ASSEMBLY_DATE),
}

/** Filters whose value follows as `$8` and so on, in this order. */
const CONDITIONS = {
  assembly_date: (parameter: string) => `assembly_date = ${parameter}::date`,
  order_tenant_id: (parameter: string) => `order_tenant_id = ${parameter}`,
  customer_name: (parameter: string) => `customer_name ilike ${parameter}`,
}
export const FILTERS = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[]

/** Lists by filters of which no numbers are kept: what matches is found and counted. */
export function listMatching(filters: typeof FILTERS): ListStatement {
  const conditions = filters.map((filter, index) => CONDITIONS[filter](`$${index + 8}`))
  return statement(
    `find_orders_${filters.join('_')}`,
    `with matching as materialized (
       select id, created_at from orders
       where tenant_id = $1 and ${IN_STATES} and created_at >= ${SINCE} and created_at < ${BEFORE} and ${conditions.join(' and ')}
     ), total as materialized (
       select count(*) as total from matching
     ), page as materialized (
       select id from (select * from matching ${NEWEST_FIRST} limit 100 offset $5::bigint) o limit $6::bigint
     )${SELECT_PAGE}`,
  )
}
