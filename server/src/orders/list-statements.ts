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

const IN_STATES = 'state_id = any ($2::smallint[])'
const ON_DAYS = `created_day between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')`
const SINCE = `coalesce($3::date::timestamp at time zone 'UTC', '-infinity')`
const BEFORE = `coalesce(($4::date + 1)::timestamp at time zone 'UTC', 'infinity')`
const NEWEST_FIRST = 'order by created_at desc, id desc'

/**
 * The answer of the CTEs `total` and `page` (id). Only the orders of the page are read as rows, all others in an index. The array makes
 * them looked up by id in any plan, also in one that was made while the table was empty.
 */
const SELECT_PAGE = `
   select t.total, o.id, o.order_tenant_id, o.state_id, o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at,
     case when $7::boolean then ${orderDetail('o.id')} end as order_detail
   from total t left join orders o on o.tenant_id = $1 and o.id = any (array(select id from page))
   order by o.created_at desc, o.id desc`

/** Numbers of orders `n`: a rollup, and the changes that are not in it yet. */
function counted(rollup: string, condition: string, groupedBy = ''): string {
  return `(
         select ${groupedBy}count as n from ${rollup} where tenant_id = $1 and ${condition}
         union all
         select ${groupedBy}change from order_count_changes where tenant_id = $1 and ${condition}
       ) c`
}

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

/** For a page near the beginning: what is before it is passed over one by one. */
function nearPage(name: string, rollup: string, countCondition: string, condition: string): ListStatement {
  return statement(
    name,
    `with total as materialized (
       select coalesce(sum(n), 0)::bigint as total from ${counted(rollup, countCondition)}
     ), ${pageOfStates(condition, SINCE, BEFORE, '$5::bigint')}${SELECT_PAGE}`,
  )
}

/**
 * For a page far from the beginning: the number of orders by day of creation tells on which days it lies, and only those are read. That
 * takes 4 ms for two years of days, where passing over 900,000 orders one by one takes 80.
 */
function farPage(name: string, rollup: string, countCondition: string, condition: string): ListStatement {
  return statement(
    name,
    `with day as materialized (
       select created_day, sum(n) as n, sum(sum(n)) over (order by created_day desc) as through_day
       from ${counted(rollup, countCondition, 'created_day, ')}
       group by created_day having sum(n) > 0
     ), total as materialized (
       select coalesce(sum(n), 0)::bigint as total from day
     ), page_day as materialized (
       select min(created_day)::timestamp at time zone 'UTC' as since, (max(created_day) + 1)::timestamp at time zone 'UTC' as before,
         greatest($5::bigint - min(through_day - n)::bigint, 0) as skipped
       from day where through_day > $5::bigint and through_day - n < $5::bigint + $6::bigint
     ), ${pageOfStates(condition, '(select since from page_day)', '(select before from page_day)', '(select skipped from page_day)')}${SELECT_PAGE}`,
  )
}

const BY_DAY = `${IN_STATES} and ${ON_DAYS}`
const BY_ASSEMBLY_DATE = `${BY_DAY} and assembly_date = $8::date`

/** Lists by the filters of which numbers are kept. `$8` is the assembly date. */
export const LIST = {
  all: nearPage('list_orders', 'order_totals', IN_STATES, 'true'),
  byDay: nearPage('list_orders_by_day', 'order_counts', BY_DAY, 'true'),
  byAssemblyDate: nearPage('list_orders_by_assembly_date', 'order_assembly_counts', BY_ASSEMBLY_DATE, 'assembly_date = $8::date'),
  farByDay: farPage('list_orders_far', 'order_counts', BY_DAY, 'true'),
  farByAssemblyDate: farPage(
    'list_orders_far_by_assembly_date',
    'order_assembly_counts',
    BY_ASSEMBLY_DATE,
    'assembly_date = $8::date',
  ),
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
