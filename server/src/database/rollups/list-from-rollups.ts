/** The rollups of some records: their counts by day and by month of creation, and the changes that are not folded yet. */
export interface RolledUpRecords {
  /** Table with `created_day` and `count`. */
  daily: string
  /** Table with `created_month` and `count`. Without it the days are added up, which is enough for records of few days. */
  monthly?: string
  /** Table with `created_day` and `change`. */
  changes: string
  /** Condition on columns that all these tables have. */
  matches: string
  /** SQL for the first and the last day, each of which may be null. Without it the records of all days are counted, by a smaller plan. */
  period?: { firstDay: string; lastDay: string }
}

/** The CTE `total` (total): the exact number of records. */
export function totalFromRollups(records: RolledUpRecords): string {
  return `
total as materialized (
  select coalesce(sum(n), 0)::bigint as total from (${numbersByMonth(records)}) c
)`
}

/**
 * The CTE `total`, and the CTE `page_day` (since, before, skipped, taken, behind): the days of the page, newest first, and how many of each day's
 * records are before it, on it and behind it, so that the records of other days are not read. The months of the page are found first, then their days: for two years
 * that reads 24 and 62 counts instead of 730.
 */
export function pageFromRollups(records: RolledUpRecords, page: { offset: string; limit: string }): string {
  const { daily, changes, matches, period } = records
  const { offset, limit } = page
  const firstDay = '(select min(created_month) from page_month)'
  const dayAfter = `(select max(created_month) + interval '1 month' from page_month)`
  const days =
    period === undefined
      ? `created_day >= ${firstDay} and created_day < ${dayAfter}`
      : `created_day >= greatest(${firstDayOf(period)}, ${firstDay}) and created_day < least(${dayAfterOf(period)}, ${dayAfter})`
  return `
month as materialized (
  select created_month, sum(n) as n, sum(sum(n)) over (order by created_month desc) as through_month
  from (${numbersByMonth(records)}) c
  group by created_month having sum(n) > 0
), total as materialized (
  select coalesce(sum(n), 0)::bigint as total from month
), page_month as materialized (
  select created_month, through_month - n as before_month from month
  where through_month > ${offset} and through_month - n < ${offset} + ${limit}
), day as materialized (
  select created_day, sum(n) as n, (select min(before_month) from page_month) + sum(sum(n)) over (order by created_day desc) as through_day
  from (
    select created_day, ${COUNT} from ${daily} where ${matches} and ${days}
    union all
    select created_day, ${CHANGE} from ${changes} where ${matches} and ${days}
  ) c
  group by created_day having sum(n) > 0
), page_day as materialized (
  select created_day::timestamp at time zone 'UTC' as since, (created_day + 1)::timestamp at time zone 'UTC' as before,
    greatest(${offset} - (through_day - n), 0)::bigint as skipped,
    (least(${offset} + ${limit}, through_day) - greatest(${offset}, through_day - n))::bigint as taken,
    greatest(through_day - ${offset} - ${limit}, 0)::bigint as behind
  from day where through_day > ${offset} and through_day - n < ${offset} + ${limit}
  order by created_day desc
)`
}

// Sums of float8 are exact below 2^53. Sums of bigint are numeric, which takes several times as long.
const COUNT = 'count::float8 as n'
const CHANGE = 'change::float8 as n'
const MONTH = `date_trunc('month', created_day::timestamp)::date as created_month`

/** The counts (created_month, n) of whole months, of the days before and after them, and of changes that are not folded yet. */
function numbersByMonth(records: RolledUpRecords): string {
  const { daily, monthly, changes, matches, period } = records
  const byDay = (days: string): string => `select ${MONTH}, ${COUNT} from ${daily} where ${matches}${days}`
  const changed = `select ${MONTH}, ${CHANGE} from ${changes} where ${matches}`
  if (period === undefined) {
    const counted = monthly === undefined ? byDay('') : `select created_month, ${COUNT} from ${monthly} where ${matches}`
    return `${counted} union all ${changed}`
  }
  const [first, after] = [firstDayOf(period), dayAfterOf(period)]
  const inPeriod = ` and created_day >= ${first} and created_day < ${after}`
  if (monthly === undefined) return `${byDay(inPeriod)} union all ${changed}${inPeriod}`
  const firstWhole = `coalesce(date_trunc('month', ${period.firstDay}::date + interval '1 month - 1 day')::date, '-infinity')`
  const afterWhole = `coalesce(date_trunc('month', (${period.lastDay}::date + 1)::timestamp)::date, 'infinity')`
  return `
    select created_month, ${COUNT} from ${monthly} where ${matches} and created_month >= ${firstWhole} and created_month < ${afterWhole}
    union all ${byDay(` and created_day >= ${first} and created_day < least(${after}, ${firstWhole})`)}
    union all ${byDay(` and created_day >= greatest(${firstWhole}, ${afterWhole}) and created_day < ${after}`)}
    union all ${changed}${inPeriod}`
}

type Period = NonNullable<RolledUpRecords['period']>

const firstDayOf = ({ firstDay }: Period): string => `coalesce(${firstDay}::date, '-infinity')`
const dayAfterOf = ({ lastDay }: Period): string => `coalesce(${lastDay}::date + 1, 'infinity')`
