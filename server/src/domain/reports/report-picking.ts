import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { beginningOf, daysOf, LAST_DAY } from './periods.ts'
import { reportPickingInput, reportPickingOutput } from './schemas.ts'

type Row = z.infer<typeof reportPickingOutput>['rows'][number]

const SUMS = 'sum(picks)::bigint as picks, sum(units) as units, sum(flows)::bigint as flows, sum(seconds) as seconds'
/** Picks that were all undone leave nothing. */
const NOT_NOTHING = 'having sum(picks) <> 0 or sum(flows) <> 0'
const COLUMNS = 'operator_email, picks, units, flows, seconds'

/** What was picked (at, operator_email, and the sums) between two times: the rollup, and the changes that are not added up yet. */
const BY_HOUR = `(
     select at, ${COLUMNS} from pick_hours where tenant_id = $1 and at >= $2 and at < coalesce($3::timestamptz, 'infinity')
     union all
     select at, ${COLUMNS} from pick_changes where tenant_id = $1 and at >= $2 and at < coalesce($3::timestamptz, 'infinity')
   ) p`

/** The same between two days (day, operator_email, and the sums). */
const BY_DAY = `(
     select day, ${COLUMNS} from pick_days where tenant_id = $1 and day between $2 and ${LAST_DAY}
     union all
     select (at at time zone 'UTC')::date, ${COLUMNS} from pick_changes
     where tenant_id = $1 and (at at time zone 'UTC')::date between $2 and ${LAST_DAY}
   ) p`

const selectHours = statement<[tenantId: number, since: Date, until: Date | undefined], Row>({
  name: 'report_picking_by_hour',
  connection: 'slow',
  sql: `select at, ${SUMS} from ${BY_HOUR} group by at ${NOT_NOTHING} order by at`,
})

const selectDays = statement<[tenantId: number, firstDay: string, lastDay: string | null], Row>({
  name: 'report_picking_by_day',
  connection: 'slow',
  sql: `select day::timestamp at time zone 'UTC' as at, ${SUMS} from ${BY_DAY} group by day ${NOT_NOTHING} order by day`,
})

// An operator is an e-mail address in any case of its letters.
const selectOperators = statement<[tenantId: number, firstDay: string, lastDay: string | null], Row>({
  name: 'report_picking_by_operator',
  connection: 'slow',
  sql: `select min(operator_email) as operator_email, ${SUMS} from (
     select operator_email, ${SUMS} from ${BY_DAY} group by operator_email
   ) o
   group by fold_case(operator_email) ${NOT_NOTHING} order by units desc, operator_email`,
})

/** What operators picked, by hour, day or operator. */
export const reportPicking = endpoint({
  name: 'reports.picking',
  scope: 'read:orders',
  method: 'GET',
  path: '/reports/picking',
  summary: 'Report picking',
  description:
    'What operators picked, by hour for at most 31 days, or by day or operator for at most 366 days (UTC). Undone picks, and picks that were returned because their flow was cancelled, are not counted. A flow is counted when it is completed. Its duration excludes pauses of more than 15 minutes. Picks recorded by versions without this operation are missing.',
  isAddition: true,
  readsReplica: true,
  input: reportPickingInput,
  output: reportPickingOutput,
  run: async ({ db, caller }, { since, until, by }) => {
    if (by === 'hour') return { rows: await db.run(selectHours, [caller.tenantId, beginningOf('hour', since), until]) }
    const select = by === 'day' ? selectDays : selectOperators
    return { rows: await db.run(select, [caller.tenantId, ...daysOf(since, until)]) }
  },
})
