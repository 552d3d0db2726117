import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { flowColumns, type FlowRow, shownFlow } from './flow-columns.ts'
import { FLOW_STATES, listFlowsOutput, listFlowsInput, MAX_COMPLETED } from './schemas.ts'

type Values = [tenantId: number, states: readonly string[], offset: number, limit: number]
/** A flow of the page. An empty page has one row of nulls and the total. */
type Row = { total: number } & (FlowRow | { [Field in keyof FlowRow]: null })

/** From this offset on, a page reads so many index entries that it would hold up the shared connections. */
const FAR_OFFSET = 1_000

/**
 * The result rows from the CTEs `total` and `page` (id). Only the flows of the page are read as rows; all others in an index. With
 * limits: by an estimate from other tenants, a join would read all flows of a large one.
 */
const selectPage = (order: string): string => `
   select t.total, ${flowColumns('f', 'o')}
   from total t left join (
     page cross join lateral (select * from picking_flows where tenant_id = $1 and id = page.id limit 1) f
     cross join lateral (select order_tenant_id, warehouse_id from orders where tenant_id = $1 and id = f.order_id limit 1) o
   ) on true
   order by ${order}`
const SELECT_PAGE = selectPage('f.id desc')

/** With `completed_since`, a parameter of the statement, the last completed first; else the newest. */
const latest = (row: string, completedSince: string): string =>
  `case when ${completedSince}::timestamptz is not null then ${row}.completed_at end desc nulls last, ${row}.id desc`

const TOTAL = `total as materialized (
     select coalesce(sum(n), 0)::bigint as total from (
       select count as n from flow_totals where tenant_id = $1 and state = any ($2::text[])
       union all
       select change from flow_count_changes where tenant_id = $1 and state = any ($2::text[])
     ) c
   )`

// The literal limits are for the planner, which takes a parameter alone to mean a tenth of the table.
const listAll = statement<Values, Row>({
  name: 'list_flows',
  connection: 'read',
  sql: `with ${TOTAL}, page as materialized (
     select id from (
       select id from picking_flows where tenant_id = $1 order by id desc limit 100 offset $3::bigint
     ) f limit $4::bigint
   )${SELECT_PAGE}`,
})

const listByState = statement<Values, Row>({
  name: 'list_flows_by_state',
  connection: 'read',
  sql: `with ${TOTAL}, page as materialized (
     select id from (
       select id from picking_flows where tenant_id = $1 and state = ($2::text[])[1] order by id desc limit 100 offset $3::bigint
     ) f limit $4::bigint
   )${SELECT_PAGE}`,
})

/** An order usually has few flows, so they are counted directly. */
const listByOrder = statement<[...Values, orderId: number, completedSince: Date | undefined], Row>({
  name: 'list_flows_by_order',
  connection: 'slow',
  sql: `with matching as materialized (
     select id, completed_at from picking_flows
     where tenant_id = $1 and order_id = $5::bigint and state = any ($2::text[]) and ($6::timestamptz is null or completed_at >= $6)
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select m.id from matching m order by ${latest('m', '$6')} limit $4::bigint offset $3::bigint
   )${selectPage(latest('f', '$6'))}`,
})

/** An operator has at most some thousand flows, which are counted too. `is true` hides a condition from the planner: see the index. */
const listByOperator = statement<
  [...Values, operatorEmail: string, orderId: number | undefined, completedSince: Date | undefined],
  Row
>({
  name: 'list_flows_by_operator',
  connection: 'slow',
  sql: `with matching as materialized (
     select id, completed_at from picking_flows
     where hashtextextended(fold_case(operator_email), tenant_id) = (select hashtextextended(fold_case($5::text), $1)) and state = any ($2::text[])
       and (tenant_id = $1 and fold_case(operator_email) = (select fold_case($5::text)) and ($6::bigint is null or order_id = $6)
         and ($7::timestamptz is null or completed_at >= $7)) is true
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select m.id from matching m order by ${latest('m', '$7')} limit $4::bigint offset $3::bigint
   )${selectPage(latest('f', '$7'))}`,
})

/** Of the last flows alone, so that it costs the same however many there were before. */
const listCompleted = statement<[...Values, completedSince: Date], Row>({
  name: 'list_flows_completed_since',
  connection: 'slow',
  sql: `with recent as materialized (
     select id, completed_at from picking_flows
     where tenant_id = $1 and state = 'completed' and state = any ($2::text[]) order by id desc limit ${MAX_COMPLETED}
   ), matching as materialized (
     select id, completed_at from recent where completed_at >= $5::timestamptz
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select m.id from matching m order by ${latest('m', '$5')} limit $4::bigint offset $3::bigint
   )${selectPage(latest('f', '$5'))}`,
})

/** Lists picking flows, newest or last completed first, with their exact number. */
export const listFlows = endpoint({
  name: 'flows.list',
  scope: 'read:orders',
  method: 'GET',
  path: '/flows',
  summary: 'List picking flows',
  description: 'Newest first; with `completed_since` the last completed first. Filters can be combined. `total` is exact.',
  isAddition: true,
  readsReplica: true,
  input: listFlowsInput,
  output: listFlowsOutput,
  run: async ({ db, caller }, query) => {
    const offset = (query.page - 1) * query.limit
    const values: Values = [caller.tenantId, query.state === undefined ? FLOW_STATES : [query.state], offset, query.limit]
    const rows = await readPage(db, values, query)
    // The row that only holds the total of an empty page is not a flow.
    const flows = rows.filter((row) => row.id !== null).map(shownFlow)
    return { flows, pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})

function readPage(db: Queryable, values: Values, query: z.output<typeof listFlowsInput>): Promise<Row[]> {
  const { order_id, operator_email, state, completed_since: since } = query
  if (operator_email !== undefined) return db.run(listByOperator, [...values, operator_email, order_id, since])
  if (order_id !== undefined) return db.run(listByOrder, [...values, order_id, since])
  if (since !== undefined) return db.run(listCompleted, [...values, since])
  return db.run(state === undefined ? listAll : listByState, values, values[2] < FAR_OFFSET ? {} : { connection: 'slow' })
}
