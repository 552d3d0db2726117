import { statement, type Statement } from '../../database/statements/statement.ts'
import { recordsContaining, recordsContainingShort } from '../../database/statements/text-search.ts'
import { pageFromRollups, type RolledUpRecords, totalFromRollups } from '../../database/rollups/list-from-rollups.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { type OrderReservations, orderReservations, type ReservationStatus } from '../reserving/index.ts'
import { orderDetail } from './order-detail.ts'
import type { OrderList } from './schemas.ts'

type Listed = OrderList['orders'][number]
/** Fields that no statement has. */
type Shown = 'state_name' | 'reservation_status' | 'shipment_status'

/** An order of the page. An empty page has one row of nulls and the total. Plain lists have no `reservations`. */
export type ListRow = { total: number; has_shipments: boolean | null; reservations?: OrderReservations | null } & (
  | { [Column in keyof Omit<Listed, Shown>]-?: null }
  | (Omit<Listed, Shown | 'order_detail'> & {
      order_detail: NonNullable<Listed['order_detail']> | null
    })
)

type Head = [
  tenantId: number,
  stateIds: readonly number[],
  startDate: string | null,
  endDate: string | null,
  offset: number,
  limit: number,
  includeDetails: boolean,
]
export type ListValues = [...Head, ...filters: string[]]
export type ListStatement = Statement<ListValues, ListRow>

/** Most lines of a page that is read and sent in one piece: about 100 kB. */
const MAX_LINES_AT_ONCE = 500

const IN_STATES = 'state_id = any ($2::smallint[])'
export const SINCE = `coalesce($3::date::timestamp at time zone 'UTC', '-infinity')`
export const BEFORE = `coalesce(($4::date + 1)::timestamp at time zone 'UTC', 'infinity')`
const NEWEST_FIRST = 'order by created_at desc, id desc'
const OLDEST_FIRST = 'order by created_at, id'

/** What differs between lists with reservations and without. */
interface Variant {
  /** Of the names of the statements. */
  suffix: string
  /** SQL for further columns of an order `o`. `withLines` is SQL. */
  columns: (withLines: string) => string
}

/** For tenants that do not reserve. What a statement costs grows with its plan, also where that finds nothing. */
const PLAIN: Variant = { suffix: '', columns: () => '' }
/** For all tenants. */
const RESERVING: Variant = {
  suffix: '_reserving',
  columns: (withLines) => `, ${orderReservations('o.id', withLines)} as reservations`,
}

/** Orders by id, in page order, for a page that is sent in pieces. Without the total. */
function piece({ suffix, columns }: Variant): Statement<[tenantId: number, ids: readonly number[]], ListRow> {
  return statement({
    name: `list_orders_piece${suffix}`,
    connection: 'slow',
    sql: `select 0::bigint as total, o.id, o.order_tenant_id, o.state_id, o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at, o.has_shipments,
     ${orderDetail('o.id')} as order_detail${columns('true')}
   from orders o where o.tenant_id = $1 and o.id = any ($2::bigint[])
   order by o.created_at desc, o.id desc`,
  })
}

/**
 * The result rows from the CTEs `total` and `page` (id). Only the orders of the page are read as rows; all others in an index. The array
 * makes it a lookup by id in any plan, even a plan made on an empty table.
 */
function selectPage({ columns }: Variant, condition = 'true', detail = DETAIL, withLines = WITH_LINES): string {
  return `
   select t.total, o.id, o.order_tenant_id, o.state_id, o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at, o.has_shipments,
     ${detail} as order_detail${columns(withLines)}
   from total t left join orders o on o.tenant_id = $1 and o.id = any (array(select id from page))
   where ${condition}
   order by o.created_at desc, o.id desc`
}

/** Whether lines are included: unless they are sent in pieces. */
const WITH_LINES = `$7::boolean and sum(o.items_count) over () <= ${MAX_LINES_AT_ONCE}`
const DETAIL = `case when ${WITH_LINES} then ${orderDetail('o.id')} end`
/** For a statement that never includes lines. It must mention its parameter. */
const NO_DETAIL = 'case when $7::boolean then null::json end'

/**
 * The tenant's orders that meet a condition. The index holds the orders of each state in list order; they are merged, and each state is
 * read only as far as needed.
 */
export function ordersOfStates(condition: string, since: string, before: string, limit: string, order = NEWEST_FIRST): string {
  const states = Object.values(ORDER_STATES).map(
    (state) => `
         (select id, created_at from orders
          where tenant_id = $1 and ${condition} and state_id = ${state} and ${state} = any ($2::smallint[]) and created_at >= ${since} and created_at < ${before}
          ${order} ${limit})`,
  )
  return `(${states.join(' union all ')}
         )`
}

const BY_STATE = { changes: 'order_count_changes', matches: `tenant_id = $1 and ${IN_STATES}` }
const PERIOD = { firstDay: '$3', lastDay: '$4' }
const OF_ALL_DAYS = { ...BY_STATE, daily: 'order_counts', monthly: 'order_month_counts' }
const BY_DAY = { ...OF_ALL_DAYS, period: PERIOD }
// The orders of an assembly date are created within weeks of it, so a rollup by month is not needed.
const BY_ASSEMBLY_DATE = {
  ...BY_STATE,
  period: PERIOD,
  daily: 'order_assembly_counts',
  matches: `${BY_STATE.matches} and assembly_date = $8::date`,
}

// Most counts of a tenant, if the date is a recent one: some ten thousand.
const BY_ASSEMBLY_UNTIL = { ...BY_ASSEMBLY_DATE, matches: `${BY_STATE.matches} and assembly_date <= $8::date` }

const TOTAL_OF_STATES = `total as materialized (
       select coalesce(sum(n), 0)::bigint as total from (
         select count as n from order_totals where ${BY_STATE.matches}
         union all
         select change from order_count_changes where ${BY_STATE.matches}
       ) c
     )`

/** For a page near the beginning: the orders before it are skipped one by one. */
function nearPage(variant: Variant, name: string, total: string, condition: string): ListStatement {
  const orders = ordersOfStates(condition, SINCE, BEFORE, 'limit $5::bigint + $6::bigint')
  // The literal limit is for the planner, which takes a parameter alone to mean a tenth of the table.
  return statement({
    name: `${name}${variant.suffix}`,
    connection: 'read',
    sql: `with ${total}, page as materialized (
       select id from (
         select * from ${orders} o ${NEWEST_FIRST} limit 100 offset $5::bigint
       ) o limit $6::bigint
     )${selectPage(variant)}`,
  })
}

/** Most orders that a far page may skip on a shared connection: about a millisecond. */
const MAX_SKIPPED = 5_000

/** A list of pages far from the beginning. */
interface FarList {
  /**
   * Without lines. Finds no row at all, not even the total, when the page is too deep in its days to skip the orders before it on a shared
   * connection.
   */
  quick: ListStatement
  unlimited: ListStatement
}

/**
 * For a page far from the beginning: reads only the days of the page, and of these the orders before the page or those behind it, whichever are
 * fewer. Skipping 900,000 orders one by one takes 80 ms.
 */
function farPages(variant: Variant, name: string, counts: RolledUpRecords, condition: string): FarList {
  const days = pageFromRollups(counts, { offset: '$5::bigint', limit: '$6::bigint' })
  // The period is calculated once and not for each state, which would take a third of the statement.
  const orders = (order: string): string => ordersOfStates(condition, 'p.since', 'p.before', '', order)
  // A statement must mention each of its parameters.
  const noPeriod = counts.period === undefined ? ' where $3::date is null and $4::date is null' : ''
  const pagesThat = (suffix: string, isAllowed: string, detail?: string): ListStatement =>
    statement({
      name: `${name}${suffix}${variant.suffix}`,
      connection: 'read',
      sql: `with ${days}, period as materialized (
       select min(since) as since, max(before) as before, coalesce(max(skipped), 0) as skipped, coalesce(sum(taken), 0) as taken,
         coalesce(max(behind), 0) as behind
       from page_day${noPeriod}
     ), page as materialized (
       select o.id from period p cross join lateral (
         select id from (select id from ${orders(NEWEST_FIRST)} o ${NEWEST_FIRST} limit 100 offset (select skipped from period)) o
         where (select skipped <= behind from period)
         union all
         select id from (select id from ${orders(OLDEST_FIRST)} o ${OLDEST_FIRST} limit 100 offset (select behind from period)) o
         where (select skipped > behind from period)
       ) o where ${isAllowed} limit (select taken from period)
     )${selectPage(variant, `(select ${isAllowed} from period)`, detail, detail === NO_DETAIL ? 'false' : WITH_LINES)}`,
    })
  return {
    quick: pagesThat('', `least(skipped, behind) <= ${MAX_SKIPPED}`, NO_DETAIL),
    unlimited: pagesThat('_unlimited', 'true'),
  }
}

const OF_ASSEMBLY_DATE = 'assembly_date = $8::date'

/**
 * Pages of the orders up to an assembly date, `$8`. Those of a few dates, such as overdue ones, may have been created long ago and far apart, so
 * each day of the page is read by itself.
 */
const pagesUntil = (variant: Variant): ListStatement =>
  statement({
    name: `list_orders_until_assembly_date${variant.suffix}`,
    connection: 'slow',
    sql: `with ${pageFromRollups(BY_ASSEMBLY_UNTIL, { offset: '$5::bigint', limit: '$6::bigint' })}, page as materialized (
       select o.id from page_day d cross join lateral (
         select id from ${ordersOfStates('assembly_date <= $8::date', 'd.since', 'd.before', '')} o ${NEWEST_FIRST} limit d.taken offset d.skipped
       ) o
     )${selectPage(variant)}`,
  })

/** Filters whose value follows as `$8` and so on, in this order. */
export const FILTERS = ['assembly_date', 'assembly_until', 'order_tenant_id', 'customer_name'] as const
type Filter = (typeof FILTERS)[number]
/** In names of statements, of which Postgres reads 63 characters. */
const SHORT_NAMES = { assembly_date: 'date', assembly_until: 'until', order_tenant_id: 'identifier', customer_name: 'customer' }

const SEARCHED = { table: 'orders', texts: ['customer_name'], columns: ['id', 'created_at'] }

/** A list by filters without counts: the matching orders are found and counted. */
function listMatching(
  variant: Variant,
  name: string,
  filters: readonly Filter[],
  search: typeof recordsContaining,
): ListStatement {
  const parameterOf = (filter: Filter): string => `$${filters.indexOf(filter) + 8}`
  const conditions = [IN_STATES, `created_at >= ${SINCE}`, `created_at < ${BEFORE}`]
  if (filters.includes('assembly_date')) conditions.push(`assembly_date = ${parameterOf('assembly_date')}::date`)
  if (filters.includes('assembly_until')) conditions.push(`assembly_date <= ${parameterOf('assembly_until')}::date`)
  if (filters.includes('order_tenant_id')) conditions.push(`order_tenant_id = ${parameterOf('order_tenant_id')}`)
  const source = filters.includes('customer_name')
    ? search(SEARCHED, `${parameterOf('customer_name')}::text`, conditions)
    : `orders where ${['tenant_id = $1', ...conditions].join(' and ')}`
  return statement({
    name: `${name}_${filters.map((filter) => SHORT_NAMES[filter]).join('_')}${variant.suffix}`,
    connection: 'read',
    sql: `with matching as materialized (
       select id, created_at from ${source}
     ), total as materialized (
       select count(*) as total from matching
     ), page as materialized (
       select id from (select * from matching ${NEWEST_FIRST} limit 100 offset $5::bigint) o limit $6::bigint
     )${selectPage(variant)}`,
  })
}

export type ReservationValues = [
  ...Head,
  assemblyDate: string | null,
  assemblyUntil: string | null,
  orderTenantId: string | null,
  customerName: string | null,
]

/** Open orders by their reservation status, while the tenant reserves: found among the sums of their reservations, and counted. */
function listReserved(status: ReservationStatus): Statement<ReservationValues, ListRow> {
  return statement({
    name: `find_orders_${status}`,
    connection: 'slow',
    sql: `with matching as materialized (
       select o.id, o.created_at from order_reservation_sums r cross join lateral (
         select id, created_at, state_id, assembly_date, order_tenant_id, customer_name from orders where tenant_id = $1 and id = r.order_id limit 1
       ) o
       where r.tenant_id = $1 and r.backordered ${status === 'backordered' ? '>' : '='} 0 and ${IN_STATES} and created_at >= ${SINCE} and created_at < ${BEFORE}
         and ($8::date is null or assembly_date = $8) and ($9::date is null or assembly_date <= $9) and ($10::text is null or order_tenant_id = $10)
         and ($11::text is null or strpos(fold_case(customer_name), (select fold_case($11))) > 0)
     ), total as materialized (
       select count(*) as total from matching
     ), page as materialized (
       select id from (select * from matching ${NEWEST_FIRST} limit 100 offset $5::bigint) o limit $6::bigint
     )${selectPage(RESERVING)}`,
  })
}

export const LIST_RESERVED = { reserved: listReserved('reserved'), backordered: listReserved('backordered') }

const BY_NAME: readonly (readonly Filter[])[] = [
  ['customer_name'],
  ['order_tenant_id', 'customer_name'],
  ['assembly_date', 'customer_name'],
  ['assembly_date', 'order_tenant_id', 'customer_name'],
  ['assembly_until', 'customer_name'],
  ['assembly_until', 'order_tenant_id', 'customer_name'],
]

const listsMatching = (
  variant: Variant,
  name: string,
  combinations: readonly (readonly Filter[])[],
  search: typeof recordsContaining,
): ReadonlyMap<string, ListStatement> =>
  new Map(combinations.map((filters) => [filters.join(), listMatching(variant, name, filters, search)]))

const listsOf = (variant: Variant) => ({
  /** Lists by filters that have counts. `$8` is the assembly date. */
  near: {
    all: nearPage(variant, 'list_orders', TOTAL_OF_STATES, 'true'),
    byDay: nearPage(variant, 'list_orders_by_day', totalFromRollups(BY_DAY), 'true'),
    byAssemblyDate: nearPage(variant, 'list_orders_by_assembly_date', totalFromRollups(BY_ASSEMBLY_DATE), OF_ASSEMBLY_DATE),
  },
  /** Pages of the same lists far from the beginning. */
  far: {
    all: farPages(variant, 'list_orders_far', OF_ALL_DAYS, 'true'),
    byDay: farPages(variant, 'list_orders_far_by_day', BY_DAY, 'true'),
    byAssemblyDate: farPages(variant, 'list_orders_far_by_assembly_date', BY_ASSEMBLY_DATE, OF_ASSEMBLY_DATE),
  },
  until: pagesUntil(variant),
  /** A list for every combination of filters without counts, by the names of its filters. */
  matching: listsMatching(
    variant,
    'find_orders',
    [['order_tenant_id'], ['assembly_date', 'order_tenant_id'], ['assembly_until', 'order_tenant_id'], ...BY_NAME],
    recordsContaining,
  ),
  /** The same for a `customer_name` that is too short for the index. */
  matchingShort: listsMatching(variant, 'find_orders_short', BY_NAME, recordsContainingShort),
  piece: piece(variant),
})

export type Lists = ReturnType<typeof listsOf>

/** The lists for tenants that do not reserve, and those that show reservations if the tenant has them. */
export const LISTS = { plain: listsOf(PLAIN), reserving: listsOf(RESERVING) }
