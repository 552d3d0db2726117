import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Pause, Switching } from './switching.ts'

/** Lines written by one statement, unless a single order has more. */
const PIECE = 500
/** Orders read at once: a tenant may have a million. */
const PAGE = 5_000

// Later orders are written down by their own calls, and none of before becomes open again.
const listOpenOrders = statement<[tenantId: number, after: number], { id: number; items_count: number }>({
  name: 'list_open_orders',
  connection: 'slow',
  sql: `select id, items_count from orders where tenant_id = $1 and id > $2 and state_id = any ('{1, 2, 3}') order by id limit ${PAGE}`,
})

const collect = statement<[tenantId: number, orderIds: number[]], { orders: number }>({
  name: 'collect_orders',
  connection: 'write',
  sql: `select count(*) as orders from settle_reservations($1, null, null, $2::bigint[], null, null)`,
})

/**
 * An open order has sums, also one of which nothing is open because all is picked. Begins after the totals are locked: who ends an order meanwhile
 * waits for them, and then removes its sums.
 */
const addEmptySums = statement<[tenantId: number, orderIds: number[]], never>({
  name: 'add_empty_reservation_sums',
  connection: 'write',
  sql: `insert into order_reservation_sums (tenant_id, order_id, reserved, backordered)
   select $1, o.id, 0, 0
   from unnest($2::bigint[]) c (id) cross join lateral (select id, state_id from orders where tenant_id = $1 and id = c.id limit 1) o
   where o.state_id = any ('{1, 2, 3}')
   order by o.id
   on conflict do nothing`,
})

/**
 * Writes down the open lines of all open orders as backordered, and reserves nothing: in this phase, settling does not. Orders are not locked:
 * what is open of their lines is read under the locks of the totals, which whoever changes it takes afterwards. True when all is done.
 */
export async function collectOrders(db: Queryable, { tenantId }: Switching, pause: Pause): Promise<boolean> {
  for (let after = 0; ;) {
    const orders = await db.run(listOpenOrders, [tenantId, after])
    const last = orders.at(-1)
    if (last === undefined) return true
    for (const orderIds of pieces(orders)) {
      const startedAt = performance.now()
      await db.transaction(async (tx) => {
        await tx.run(collect, [tenantId, orderIds])
        await tx.run(addEmptySums, [tenantId, orderIds])
      })
      if (!(await pause(startedAt))) return false
    }
    after = last.id
  }
}

function pieces(orders: readonly { id: number; items_count: number }[]): number[][] {
  const all: number[][] = []
  let room = 0
  for (const { id, items_count: lines } of orders) {
    if (lines > room || all.length === 0) {
      all.push([])
      room = PIECE
    }
    all.at(-1)?.push(id)
    room -= lines
  }
  return all
}
