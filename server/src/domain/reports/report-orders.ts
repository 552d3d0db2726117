import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { daysOf, LAST_DAY } from './periods.ts'
import { reportOrdersInput, reportOrdersOutput } from './schemas.ts'

type OrderDay = z.infer<typeof reportOrdersOutput>['days'][number]

/** The counts of a tenant (date, state_id, n) by one of the days of its orders: the rollup, and the changes that are not folded yet. */
const byDay = (column: 'created_day' | 'assembly_date', rollup: string): string => `
   select date, json_agg(json_build_object('state_id', state_id, 'count', n) order by state_id) as counts from (
     select ${column} as date, state_id, sum(n) as n from (
       select ${column}, state_id, count::float8 as n from ${rollup} where tenant_id = $1 and ${column} between $2 and ${LAST_DAY}
       union all
       select ${column}, state_id, change from order_count_changes where tenant_id = $1 and ${column} between $2 and ${LAST_DAY}
     ) c
     group by 1, 2 having sum(n) > 0
   ) d
   group by date order by date`

const STATEMENTS = {
  created: statement<[tenantId: number, firstDay: string, lastDay: string | null], OrderDay>({
    name: 'report_orders_by_creation',
    connection: 'slow',
    sql: byDay('created_day', 'order_counts'),
  }),
  assembly: statement<[tenantId: number, firstDay: string, lastDay: string | null], OrderDay>({
    name: 'report_orders_by_assembly_date',
    connection: 'slow',
    sql: byDay('assembly_date', 'order_assembly_counts'),
  }),
}

/** Number of orders by day and state. */
export const reportOrders = endpoint({
  name: 'reports.orders',
  scope: 'read:orders',
  method: 'GET',
  path: '/reports/orders',
  summary: 'Report orders by day and state',
  description:
    'Number of orders by day and by their current state, for at most 366 days (UTC). The numbers are exact: their sum over all days is the `total` of the list of orders.',
  isAddition: true,
  readsReplica: true,
  input: reportOrdersInput,
  output: reportOrdersOutput,
  run: async ({ db, caller }, { since, until, by }) => {
    return { days: await db.run(STATEMENTS[by], [caller.tenantId, ...daysOf(since, until)]) }
  },
})
