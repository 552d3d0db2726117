import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { MAX_QUANTITY } from '../../procedures/fields/fields.ts'
import { recordEvents } from '../events/index.ts'
import { recordEventPosition } from '../records/index.ts'
import { applyStockChanges } from '../stock/index.ts'
import { wrongState } from './change-state.ts'
import { countUpdatedData, LINE_ORDER } from './count-json.ts'
import { countNotFound, readCount } from './read-count.ts'
import { approveCountInput, count, type Count, type CountState, MAX_LINES } from './schemas.ts'

const lockCount = statement<[tenantId: number, countId: number], { state: CountState }>({
  name: 'lock_count_to_approve',
  connection: 'write',
  sql: 'select state from stock_counts where tenant_id = $1 and id = $2 for no key update',
})

/** Locks all levels that are counted, by product and location. */
const lockLevels = statement<[tenantId: number, countId: number], { levels: number }>({
  name: 'lock_levels_of_count',
  connection: 'write',
  sql: `with locked_level as materialized (
     select v.product_id from stock_count_lines l
     join stock_levels v on v.tenant_id = $1 and v.product_id = l.product_id and v.location_id = l.location_id
     where l.tenant_id = $1 and l.record_id = $2 and l.counted is not null
     order by v.product_id, v.location_id for no key update of v
   )
   select count(*) as levels from locked_level`,
})

type Problem = 'adjusted' | 'below' | 'above'

/**
 * The clock of Postgres may be set back, and that of a standby that took over may be behind. The numbers of movements tell exactly; this only
 * bounds how many are read.
 */
const CLOCK_TOLERANCE = `interval '1 hour'`

/**
 * CTE `adjusted`: the last adjustment of each level of the products of `lines`. Reads movements since the first of these lines was counted, for each
 * product.
 */
const lastAdjustments = (lines: string): string => `adjusted as materialized (
     select m.product_id, m.location_id, max(m.id) as last_id
     from (select product_id, min(counted_at) as since from ${lines} group by product_id) p cross join lateral (
       select id, product_id, location_id from stock_movements
       where tenant_id = $1 and product_id = p.product_id and created_at >= p.since - ${CLOCK_TOLERANCE} and movement_type = 'ADJUSTMENT' offset 0
     ) m
     group by m.product_id, m.location_id
   )`

/** The counted lines, whether their levels were adjusted since, and the versions of these levels. Each movement makes a version of its level. */
const findAdjusted = statement<[tenantId: number, countId: number], { id: number; level_version: string; is_adjusted: boolean }>({
  name: 'find_adjusted_of_count',
  connection: 'slow',
  sql: `with counted as materialized (
     select l.id, l.product_id, l.location_id, l.counted_at, l.counted_before, v.level_version
     from stock_count_lines l cross join lateral (
       select xmin::text as level_version from stock_levels
       where tenant_id = $1 and product_id = l.product_id and location_id = l.location_id limit 1
     ) v
     where l.tenant_id = $1 and l.record_id = $2 and l.counted is not null
   ), ${lastAdjustments('counted')}
   select c.id, c.level_version, coalesce(a.last_id > c.counted_before, false) as is_adjusted
   from counted c left join adjusted a using (product_id, location_id)`,
})

/** Lines whose variance cannot be posted, in line order. Reads movements only of products with levels that changed after `findAdjusted`. */
const findProblems = statement<
  [tenantId: number, countId: number, lineIds: number[], levelVersions: string[], areAdjusted: boolean[]],
  { id: number; problem: Problem; quantity: number }
>({
  name: 'find_problems_of_count',
  connection: 'slow',
  sql: `with counted as materialized (
     select l.*, v.quantity, k.pick_sequence, s.is_adjusted, v.level_version <> s.level_version as has_changed
     from unnest($3::bigint[], $4::text[], $5::boolean[]) s (id, level_version, is_adjusted) cross join lateral (
       select id, product_id, location_id, counted_at, counted_before, counted - expected as variance from stock_count_lines
       where tenant_id = $1 and record_id = $2 and id = s.id limit 1
     ) l cross join lateral (
       select quantity, xmin::text as level_version from stock_levels
       where tenant_id = $1 and product_id = l.product_id and location_id = l.location_id limit 1
     ) v cross join lateral (select pick_sequence from locations where tenant_id = $1 and id = l.location_id limit 1) k
   ), ${lastAdjustments('(select product_id, counted_at from counted where has_changed) c')}, judged as (
     select c.*, case
       when c.is_adjusted or a.last_id > c.counted_before then 'adjusted'
       when c.quantity + c.variance < 0 then 'below'
       when c.quantity + c.variance > ${MAX_QUANTITY} then 'above'
     end as problem
     from counted c left join adjusted a using (product_id, location_id)
   )
   select id, problem, quantity from judged where problem is not null order by pick_sequence nulls last, location_id, product_id`,
})

const post = statement<
  [tenantId: number, countId: number, operatorId: number | null, defaultWarehouseId: number, createdBy: string],
  { id: number }
>({
  name: 'approve_count',
  connection: 'write',
  sql: `with due_line as materialized (
     select row_number() over (order by ${LINE_ORDER})::int as position, l.id, l.product_id, l.location_id, l.counted - l.expected as variance
     from stock_count_lines l cross join lateral (select pick_sequence from locations where tenant_id = $1 and id = l.location_id limit 1) k
     where l.tenant_id = $1 and l.record_id = $2 and l.counted is not null
   ), stock_change as materialized (
     select position, product_id, location_id, variance as amount, 'ADJUSTMENT' as movement_type, 'inventory_count' as reason,
       $3::bigint as user_id, null::bigint as order_id, null::text as other_location_id
     from due_line
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'together',
     amount: 'relative',
     eventReason: 'inventory_count',
     defaultWarehouse: '$4::bigint',
     createdBy: '$5::text',
   })}, posted_line as (
     update stock_count_lines l set movement_id = m.id
     from stock_movement m join due_line x using (position)
     where l.tenant_id = $1 and l.record_id = $2 and l.id = x.id
   ), approved as (
     update stock_counts set state = 'approved', approved_at = clock_timestamp(), updated_at = clock_timestamp()
     where tenant_id = $1 and id = $2
     returning *
   ), record_event as (
     select ${recordEventPosition('count', 'r.id')} as position, 'count/updated' as topic, ${countUpdatedData(`'review'`)} as data from approved r
   ), ${recordEvents('(select position, topic, data from stock_event union all select position, topic, data from record_event) e')}
   select id from approved`,
})

/** Posts the differences of a count. Approving it again changes nothing. Throws `not_found` and `count_error`. */
export const approveCount = endpoint({
  name: 'counts.approve',
  scope: 'write:stock',
  method: 'POST',
  path: '/counts/{id}/approve',
  summary: 'Approve a count',
  description: `Writes an \`ADJUSTMENT\` movement with the reason \`inventory_count\` for each counted line, all or nothing. The movement adds the variance to the current level, so picks, receipts and moves since the counting are kept. A variance of 0 writes a movement of 0.

Lines that were not counted do not change. The call returns \`count_error\` if a level was set, or posted by another count, since it was counted, or if a level would leave its range: \`details\` lists these lines. Reopen the count, count them again, submit and approve. Approving an approved count succeeds and changes nothing.`,
  errors: ['count_error'],
  isAddition: true,
  input: approveCountInput,
  output: count,
  run: ({ caller, db }, input) => db.transaction((tx) => approve(tx, caller, input), { rows: MAX_LINES }),
})

async function approve(
  tx: Queryable,
  { tenantId, defaultWarehouse, keyName }: RequestContext['caller'],
  { id, operator_id: operatorId = null }: z.infer<typeof approveCountInput>,
): Promise<Count> {
  const locked = await tx.runOne(lockCount, [tenantId, id])
  if (locked === undefined) throw countNotFound()
  if (locked.state === 'review') {
    const lines = await tx.run(findAdjusted, [tenantId, id])
    await tx.run(lockLevels, [tenantId, id])
    // A statement of its own: it sees what came before the locks.
    const problems = await tx.run(findProblems, [
      tenantId,
      id,
      lines.map((line) => line.id),
      lines.map((line) => line.level_version),
      lines.map((line) => line.is_adjusted),
    ])
    refuse(problems)
    await tx.run(post, [tenantId, id, operatorId, defaultWarehouse.id, keyName])
  } else if (locked.state !== 'approved') throw wrongState(locked.state)
  return readCount(tx, tenantId, id)
}

const REASONS: Record<Problem, (quantity: number) => string> = {
  adjusted: () => 'the level was set, or posted by another count, since it was counted',
  below: (quantity) => `the level would fall below 0: it is ${quantity} now`,
  above: (quantity) => `the level would exceed ${MAX_QUANTITY}: it is ${quantity} now`,
}

function refuse(problems: readonly { id: number; problem: Problem; quantity: number }[]): void {
  const details = problems.map(({ id, problem, quantity }) => ({ path: `lines[${id}]`, error: REASONS[problem](quantity) }))
  const [first] = details
  if (first === undefined) return
  const rest = details.length > 1 ? `; and ${details.length - 1} more` : ''
  throw new ServiceError('count_error', `${first.path}: ${first.error}${rest}`, { details })
}
