import { statement } from '../../database/statements/statement.ts'
import { type RolledUpRecords, pageFromRollups, totalFromRollups } from '../../database/rollups/list-from-rollups.ts'
import {
  BEFORE,
  IN_STATES,
  type ListStatement,
  NEWEST_FIRST,
  OLDEST_FIRST,
  ordersOfStates,
  selectPage,
  SINCE,
  type Variant,
} from './list-page.ts'

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
// Reads most counts of a tenant, if the date is a recent one: some ten thousand.
const BY_ASSEMBLY_UNTIL = { ...BY_ASSEMBLY_DATE, matches: `${BY_STATE.matches} and assembly_date <= $8::date` }

const TOTAL_OF_STATES = `total as materialized (
       select coalesce(sum(n), 0)::bigint as total from (
         select count as n from order_totals where ${BY_STATE.matches}
         union all
         select change from order_count_changes where ${BY_STATE.matches}
       ) c
     )`

/** Lists by filters for which orders are counted. `$8` is the assembly date. */
type Counted = 'all' | 'byDay' | 'byAssemblyDate'

const OF_ASSEMBLY_DATE = 'assembly_date = $8::date'

/** Lists of pages near the beginning. */
export const nearPages = (variant: Variant): Record<Counted, ListStatement> => ({
  all: nearPage(variant, 'list_orders', TOTAL_OF_STATES, 'true'),
  byDay: nearPage(variant, 'list_orders_by_day', totalFromRollups(BY_DAY), 'true'),
  byAssemblyDate: nearPage(variant, 'list_orders_by_assembly_date', totalFromRollups(BY_ASSEMBLY_DATE), OF_ASSEMBLY_DATE),
})

/** Lists of pages far from the beginning. */
export const farPages = (variant: Variant): Record<Counted, FarList> => ({
  all: farPage(variant, 'list_orders_far', OF_ALL_DAYS, 'true'),
  byDay: farPage(variant, 'list_orders_far_by_day', BY_DAY, 'true'),
  byAssemblyDate: farPage(variant, 'list_orders_far_by_assembly_date', BY_ASSEMBLY_DATE, OF_ASSEMBLY_DATE),
})

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
function farPage(variant: Variant, name: string, counts: RolledUpRecords, condition: string): FarList {
  const days = pageFromRollups(counts, { offset: '$5::bigint', limit: '$6::bigint' })
  // The period is calculated once and not for each state, which would take a third of the statement.
  const orders = (order: string): string => ordersOfStates(condition, 'p.since', 'p.before', '', order)
  // A statement must mention each of its parameters.
  const noPeriod = counts.period === undefined ? ' where $3::date is null and $4::date is null' : ''
  const pagesThat = (suffix: string, isAllowed: string, mayHaveLines: boolean): ListStatement =>
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
     )${selectPage(variant, { condition: `(select ${isAllowed} from period)`, mayHaveLines })}`,
    })
  return {
    quick: pagesThat('', `least(skipped, behind) <= ${MAX_SKIPPED}`, false),
    unlimited: pagesThat('_unlimited', 'true', true),
  }
}

/**
 * Pages of the orders up to an assembly date, `$8`. Those of a few dates, such as overdue ones, may have been created long ago and far apart, so
 * each day of the page is read by itself.
 */
export const pagesUntil = (variant: Variant): ListStatement =>
  statement({
    name: `list_orders_until_assembly_date${variant.suffix}`,
    connection: 'slow',
    sql: `with ${pageFromRollups(BY_ASSEMBLY_UNTIL, { offset: '$5::bigint', limit: '$6::bigint' })}, page as materialized (
       select o.id from page_day d cross join lateral (
         select id from ${ordersOfStates('assembly_date <= $8::date', 'd.since', 'd.before', '')} o ${NEWEST_FIRST} limit d.taken offset d.skipped
       ) o
     )${selectPage(variant)}`,
  })
