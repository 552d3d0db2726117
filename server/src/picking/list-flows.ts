import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { paginationOf } from '../fields.ts'
import { flowColumns } from './flow-columns.ts'
import { FLOW_STATES, type FlowList, type FlowListQuery, type PickingFlow } from './schemas.ts'

type Values = [tenantId: number, states: readonly string[], offset: number, limit: number]
/** A flow of the page; or nulls besides the total, when the page is empty. */
type Row = { total: number } & (PickingFlow | { [Field in keyof PickingFlow]: null })

/** From here on a page makes Postgres walk so many index entries that it must not hold up the connections that all requests share. */
const FAR_OFFSET = 1_000

/** The answer of the CTEs `total` and `page` (id). Only the flows of the page are read as rows, all others in an index. */
const SELECT_PAGE = `
   select t.total, ${flowColumns('f', 'o')}
   from total t left join (
     page join picking_flows f on f.tenant_id = $1 and f.id = page.id join orders o on o.tenant_id = $1 and o.id = f.order_id
   ) on true
   order by f.id desc`

const TOTAL = `total as materialized (
     select coalesce(sum(n), 0)::bigint as total from (
       select count as n from flow_totals where tenant_id = $1 and state = any ($2::text[])
       union all
       select change from flow_count_changes where tenant_id = $1 and state = any ($2::text[])
     ) c
   )`

// The literal limits are for the planner, which would take a parameter alone for a tenth of the table.
const listAll = statement<Values, Row>(
  'list_flows',
  `with ${TOTAL}, page as materialized (
     select id from (
       select id from picking_flows where tenant_id = $1 order by id desc limit 100 offset $3::bigint
     ) f limit $4::bigint
   )${SELECT_PAGE}`,
)

const listByState = statement<Values, Row>(
  'list_flows_by_state',
  `with ${TOTAL}, page as materialized (
     select id from (
       select id from picking_flows where tenant_id = $1 and state = ($2::text[])[1] order by id desc limit 100 offset $3::bigint
     ) f limit $4::bigint
   )${SELECT_PAGE}`,
)

/** An order has few flows, unless somebody means to make many: they are counted as they are. */
const listByOrder = statement<[...Values, orderId: number], Row>(
  'list_flows_by_order',
  `with matching as materialized (
     select id from picking_flows where tenant_id = $1 and order_id = $5::bigint and state = any ($2::text[])
   ), total as materialized (
     select count(*) as total from matching
   ), page as materialized (
     select id from matching order by id desc limit $4::bigint offset $3::bigint
   )${SELECT_PAGE}`,
  { lane: 'slow' },
)

/** Lists picking flows, newest first, with their exact number. */
export async function listFlows({ db, caller }: RequestContext, query: FlowListQuery): Promise<FlowList> {
  const offset = (query.page - 1) * query.limit
  const values: Values = [caller.tenantId, query.state === undefined ? FLOW_STATES : [query.state], offset, query.limit]
  const list = query.state === undefined ? listAll : listByState
  const rows = await (query.order_id !== undefined
    ? db.run(listByOrder, [...values, query.order_id])
    : offset < FAR_OFFSET
      ? db.run(list, values)
      : db.runApart(list, values))
  // The row that holds the total of an empty page is no flow.
  return { flows: rows.filter((row) => row.id !== null), pagination: paginationOf(query, rows[0]?.total ?? 0) }
}
