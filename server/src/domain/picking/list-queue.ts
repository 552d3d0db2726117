import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { openQuantity, ORDER_STATES } from '../order-states/index.ts'
import { listQueueInput, listQueueOutput, type QueuedOrder } from './schemas.ts'

const { pending, released } = ORDER_STATES

/** An empty page is one row of nulls and the total. */
type Row = { total: number } & (QueuedOrder | { [Column in keyof QueuedOrder]: null })

/** The states are literals, so that Postgres can use the partial index of these states. */
const IS_READY = `tenant_id = $1 and state_id in (${pending}, ${released})`
const IN_ORDER = 'order by assembly_date, id'

/** Each order of the page is read with `limit 1`: a join or an array could make the planner read all orders of a large tenant. */
const selectPage = (total: string, page: string): string => `with ${total}, page as materialized (
     ${page}
   )
   select t.total, p.id as order_id, o.order_tenant_id, o.assembly_date, o.customer_name, o.state_id, l.open_lines, l.open_quantity
   from total t left join (
     page p cross join lateral (
       select order_tenant_id, assembly_date, customer_name, state_id from orders where tenant_id = $1 and id = p.id limit 1
     ) o cross join lateral (
       select count(*) as open_lines, coalesce(sum(${openQuantity('n')}), 0)::float8 as open_quantity from order_lines n
       where n.tenant_id = $1 and n.order_id = p.id and ${openQuantity('n')} > 0
     ) l
   ) on true
   order by o.assembly_date, p.id`

const listAll = statement<[tenantId: number, offset: number, limit: number], Row>({
  name: 'list_queue',
  connection: 'slow',
  sql: selectPage(
    `total as materialized (
     select coalesce(sum(n), 0)::bigint as total from (
       select count as n from order_totals where ${IS_READY}
       union all
       select change from order_count_changes where ${IS_READY}
     ) c
   )`,
    // With the limit as a parameter alone, the planner assumes a tenth of the table.
    `select id from (
       select id from orders where ${IS_READY} ${IN_ORDER} limit 100 offset $2::bigint
     ) o limit $3::bigint`,
  ),
})

/** Compares the text with ready orders alone, a small part of all orders. */
const search = statement<[tenantId: number, offset: number, limit: number, search: string], Row>({
  name: 'search_queue',
  connection: 'slow',
  sql: selectPage(
    `matching as materialized (
     select id, assembly_date from orders
     where ${IS_READY}
       and (strpos(fold_case(order_tenant_id), (select fold_case($4::text))) > 0 or strpos(fold_case(customer_name), (select fold_case($4::text))) > 0)
   ), total as materialized (
     select count(*) as total from matching
   )`,
    `select id from matching ${IN_ORDER} limit $3::bigint offset $2::bigint`,
  ),
})

/** Lists the orders that are ready to be picked, the most urgent first, with their exact number. */
export const listQueue = endpoint({
  name: 'flows.queue',
  scope: 'read:orders',
  method: 'GET',
  path: '/flows/queue',
  summary: 'List orders to pick',
  description:
    'Orders with `state_id` 1 or 2 and no running picking flow, ordered by assembly date. Each has the number of its open lines and the quantity left to pick. `total` is exact.',
  isAddition: true,
  input: listQueueInput,
  output: listQueueOutput,
  run: async ({ db, caller }, query) => {
    const values = [caller.tenantId, (query.page - 1) * query.limit, query.limit] as const
    const rows = await (query.search === undefined ? db.run(listAll, [...values]) : db.run(search, [...values, query.search]))
    const orders: QueuedOrder[] = []
    for (const { total: _, ...row } of rows) if (row.order_id !== null) orders.push(row)
    return { orders, pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})
