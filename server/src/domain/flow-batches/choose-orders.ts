import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { openQuantity, ORDER_STATES, PICKING_STATES } from '../order-states/index.ts'
import { IS_READY } from '../reservation-core/index.ts'
import { type Candidate, type Choice, extended } from './choice.ts'

/** A rule with its defaults. */
export interface Rule {
  maxOrders: number
  warehouseId: number
  assemblyUntil: string | null
  singleLine: boolean
}

/** Orders that a rule looks at. */
const MAX_CANDIDATES = 1_000
/** Of them, those that are read at a time. */
const PIECE = 100

type Row = Candidate & { assembly_date: string }

const { pending, released } = ORDER_STATES
const OPEN_LINES = `from order_lines l where l.tenant_id = $1 and l.order_id = o.id and ${openQuantity('l')} > 0`

/** The next candidates, the most urgent first. */
const listCandidates = statement<
  [
    tenantId: number,
    warehouseId: number,
    assemblyUntil: string | null,
    singleLine: boolean,
    afterDate: string | null,
    afterId: number,
  ],
  Row
>({
  name: 'list_orders_for_batch',
  connection: 'slow',
  // A candidate has an open line.
  notNull: ['open'],
  sql: `with candidate as materialized (
     select o.id, o.assembly_date, o.updated_at
     from orders o
     where o.tenant_id = $1 and o.state_id in (${pending}, ${released}) and o.warehouse_id = $2
       and o.state_picking_id is distinct from ${PICKING_STATES.started}
       and o.assembly_date <= coalesce($3::date, 'infinity') and (o.assembly_date, o.id) > (coalesce($5::date, '-infinity'), $6::bigint)
       and exists (select ${OPEN_LINES})
       and (not $4::boolean or (select count(*) from (select ${OPEN_LINES} limit 2) l) = 1)
     order by o.assembly_date, o.id limit ${PIECE}
   )
   select o.id, o.assembly_date, o.updated_at::text as version, (select count(*) ${OPEN_LINES}) as open_lines, (
     select json_agg(json_build_object('product', l.product_id, 'quantity', l.open)) from (
       select l.product_id, (sum(${openQuantity('l')}) * 1000)::float8 as open ${OPEN_LINES} group by l.product_id
     ) l
   ) as open, ${IS_READY} and exists (
     select from order_reservation_sums where tenant_id = $1 and order_id = o.id and backordered > 0
   ) as is_backordered
   from candidate o order by o.assembly_date, o.id`,
})

/** What lies of products at the pickable locations of a warehouse, in thousandths. */
const listPickable = statement<
  [tenantId: number, warehouseId: number, productIds: number[]],
  { product: number; quantity: number }
>({
  name: 'list_pickable_stock',
  connection: 'slow',
  sql: `select p.id as product, coalesce(sum(v.quantity * 1000) filter (where k.pickable), 0)::float8 as quantity
   from unnest($3::bigint[]) p (id) cross join lateral (
     select location_id, quantity from stock_levels
     where tenant_id = $1 and product_id = p.id and warehouse_id = $2 and quantity > 0 offset 0
   ) v cross join lateral (select pickable from locations where tenant_id = $1 and id = v.location_id limit 1) k
   group by p.id`,
})

const lockOrders = statement<[tenantId: number, orderIds: number[]], { id: number; version: string }>({
  name: 'lock_orders_for_batch',
  connection: 'write',
  sql: `select id, updated_at::text as version from orders
   where tenant_id = $1 and id = any ($2::bigint[]) order by id for no key update skip locked`,
})

/**
 * The ids of the orders that a rule chooses, which it locks, in a transaction. Orders that another call has locked, or has changed since they
 * were read, are passed over: another batch may be starting them.
 */
export async function chooseOrders(tx: Queryable, tenantId: number, rule: Rule): Promise<number[]> {
  const { maxOrders, warehouseId, assemblyUntil, singleLine } = rule
  let choice: Choice = { orders: [], left: new Map(), isFull: false }
  let last: Pick<Row, 'id'> & { assembly_date: string | null } = { assembly_date: null, id: 0 }
  for (let read = 0; read < MAX_CANDIDATES && !choice.isFull; read += PIECE) {
    const piece = await tx.run(listCandidates, [tenantId, warehouseId, assemblyUntil, singleLine, last.assembly_date, last.id])
    const left = await withStockOf(tx, tenantId, warehouseId, piece, choice.left)
    choice = await lockedChoice(tx, tenantId, { ...choice, left }, piece, maxOrders)
    if (piece.length < PIECE) break
    last = piece.at(-1) as Row
  }
  return choice.orders.map(({ id }) => id)
}

/** What is left of products, with those of further candidates. */
async function withStockOf(
  tx: Queryable,
  tenantId: number,
  warehouseId: number,
  candidates: readonly Candidate[],
  left: Choice['left'],
): Promise<Choice['left']> {
  const products = new Set(candidates.flatMap(({ open }) => open.map(({ product }) => product)))
  const unseen = [...products].filter((product) => !left.has(product))
  const rows = await tx.run(listPickable, [tenantId, warehouseId, unseen])
  return new Map([...left, ...rows.map(({ product, quantity }) => [product, quantity] as const)])
}

/** Chooses again without the orders that could not be locked, until all that are chosen are locked. */
async function lockedChoice(
  tx: Queryable,
  tenantId: number,
  before: Choice,
  piece: readonly Candidate[],
  maxOrders: number,
): Promise<Choice> {
  let candidates = piece
  for (;;) {
    const choice = extended(before, candidates, maxOrders)
    const chosen = choice.orders.slice(before.orders.length)
    const locked = await tx.run(lockOrders, [tenantId, chosen.map(({ id }) => id)])
    const versions = new Map(locked.map(({ id, version }) => [id, version]))
    const lost = new Set(chosen.filter(({ id, version }) => versions.get(id) !== version))
    if (lost.size === 0) return choice
    candidates = candidates.filter((candidate) => !lost.has(candidate))
  }
}
