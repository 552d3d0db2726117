import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { beginningOf } from './periods.ts'
import { reportStockInput, reportStockOutput } from './schemas.ts'

type Report = z.infer<typeof reportStockOutput>

type Values = [tenantId: number, productId: number, first: Date, last: Date | null, step: string, ...location: string[]]

/** SQL for the beginning of the last step, which is not in the future by the clock of the database. */
const LAST = `least($4::timestamptz, date_trunc($5, now(), 'UTC'))`

/** What the statement reads for the stock at all locations, or at one: `$6`. */
const SOURCES = {
  all: { name: 'report_stock', hours: 'movement_product_hours', condition: '', filter: '' },
  one: {
    name: 'report_stock_at_location',
    hours: 'movement_level_hours',
    condition: ' and location_id = $6',
    // Of the product's levels, which are read by their key. By location the planner may take the index of all products there.
    filter: ' filter (where location_id = $6)',
  },
}

/**
 * Counts back from the present stock. Changes by hour are added up in a table, as far as they are folded. The movements themselves are read of
 * days that the table does not have in full: those before it existed, and those on which a server of an earlier version folded counts.
 */
const selectPoints = ({ name, hours, condition, filter }: (typeof SOURCES)['all']) =>
  statement<Values, Omit<Report, 'points'> & { points: Report['points'] | null }>({
    name,
    connection: 'slow',
    sql: `with incomplete_day as materialized (
     select c.day from (
       select created_day as day, sum(count) as movements from movement_counts
       where tenant_id = $1 and created_day >= ($3::timestamptz at time zone 'UTC')::date group by created_day
     ) c
     where c.movements is distinct from (select count from movement_hour_days where tenant_id = $1 and day = c.day)
     union
     select created_day from movement_count_changes where tenant_id = $1 and product_id = $2 and created_hour is null
   ), change as materialized (
     select at, quantity from ${hours}
     where tenant_id = $1 and product_id = $2${condition} and at >= $3 and (at at time zone 'UTC')::date not in (select day from incomplete_day)
     union all
     select created_hour, quantity from movement_count_changes
     where tenant_id = $1 and product_id = $2${condition} and created_hour >= $3 and created_day not in (select day from incomplete_day)
     union all
     select m.created_at, m.change from incomplete_day d cross join lateral (
       select created_at, new_quantity - previous_quantity as change from stock_movements
       where tenant_id = $1 and product_id = $2${condition} and created_at >= greatest(d.day::timestamp at time zone 'UTC', $3)
         and created_at < (d.day + 1)::timestamp at time zone 'UTC'
       offset 0
     ) m
   ), by_step as materialized (
     -- Later changes count for the step after the last one.
     select least(date_trunc($5, at, 'UTC'), ${LAST} + ('1 ' || $5)::interval) as at, sum(quantity) as quantity from change group by 1
   ), now as materialized (
     select coalesce(sum(quantity)${filter}, 0) as quantity from stock_levels where tenant_id = $1 and product_id = $2
   )
   select p.minimum_threshold, (
     select json_agg(json_build_object('at', to_char(s.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'quantity', s.quantity::float8) order by s.at)
     from (
       select s.at, now.quantity - coalesce(sum(c.quantity) over (order by s.at desc rows between unbounded preceding and 1 preceding), 0) as quantity
       from generate_series($3::timestamptz, ${LAST} + ('1 ' || $5)::interval, ('1 ' || $5)::interval) s (at) cross join now left join by_step c using (at)
     ) s
     where s.at <= ${LAST}
   ) as points
   from products p where p.tenant_id = $1 and p.id = $2`,
  })

const STATEMENTS = { all: selectPoints(SOURCES.all), one: selectPoints(SOURCES.one) }

/** The stock of a product over time. Throws `not_found`. */
export const reportStock = endpoint({
  name: 'reports.stock',
  scope: 'read:stock',
  method: 'GET',
  path: '/reports/stock',
  summary: 'Report stock over time',
  description:
    'Stock of a product at the end of each day, for at most 366 days, or of each hour, for at most 31 days (UTC), in total or at one location. The quantity of the current day or hour is the current stock. The numbers are exact: they equal the stock movements.',
  errors: ['not_found'],
  isAddition: true,
  readsReplica: true,
  input: reportStockInput,
  output: reportStockOutput,
  run: async ({ db, caller }, { product_id, location_id, since, until, step }) => {
    const last = until === undefined ? null : beginningOf(step, new Date(until.getTime() - 1))
    const values: Values = [caller.tenantId, product_id, beginningOf(step, since), last, step]
    const report = await (location_id === undefined
      ? db.runOne(STATEMENTS.all, values)
      : db.runOne(STATEMENTS.one, [...values, location_id]))
    if (report === undefined) throw new ServiceError('not_found', 'Product not found')
    return { ...report, points: report.points ?? [] }
  },
})
