import { noTries, type SharedOrders, type Tries } from '../client-state.ts'
import type { Data } from '../operation.ts'
import type { World } from '../world.ts'
import { sameRows } from './same-rows.ts'

/** What is ordered of the shared flow, and what there is of the scarce product: clients try more of both. */
const ROOM = 12
const STOCK = 6
const HELD = 2
const PLENTY = 100
const COMPLETED = 5

/** What became of the calls that all clients made on the same records since the last quiet point, or what is wrong with it. */
export async function compareSharedOrders(world: World): Promise<string | undefined> {
  const shared = world.clients[0]?.state.shared.orders
  if (shared === undefined) return undefined
  const tries = triesOf(world)
  return (
    (await compareFlow(world, shared, tries)) ??
    (await comparePacked(world, shared, tries)) ??
    (await compareScarce(world, shared, tries))
  )
}

/** All that the clients tried. */
function triesOf({ clients }: World): Tries {
  const all = noTries()
  for (const { tries } of clients.map(({ state }) => state.shared)) {
    for (const [name, quantity] of tries.acknowledged) all.acknowledged.set(name, quantity)
    for (const [name, quantity] of tries.refused) all.refused.set(name, quantity)
    for (const name of tries.lost) all.lost.add(name)
  }
  return all
}

/** Each acknowledged call is there once, a refused one never; there is never too much, and nothing was refused that there was room for. */
function wrongTakes(
  what: string,
  tries: Tries,
  of: (name: string) => boolean,
  rows: [name: string, quantity: number][],
  room: number,
): string | undefined {
  const known = [...tries.acknowledged].filter(([name]) => of(name))
  const found = sameRows(
    what,
    known,
    rows.filter(([name]) => !tries.lost.has(name)),
  )
  const total = rows.reduce((sum, [, quantity]) => sum + quantity, 0)
  if (found !== undefined) return found
  if (total > room) return `${what}: ${total}, and there was room for ${room}`
  const needless = [...tries.refused].find(([name, quantity]) => of(name) && total + quantity <= room)
  return needless && `${what}: ${needless.join(' of ')} was refused, and ${total} of ${room} were taken`
}

async function compareFlow(world: World, { flow: { id } }: SharedOrders, tries: Tries): Promise<string | undefined> {
  const flow = await world.read(`/flows/${id}`)
  const picks = flow.picks.map((pick: Data) => [pick.id, pick.quantity])
  const isPick = (name: string): boolean => name.startsWith('pick ')
  const found = wrongTakes(`picks of the shared flow ${id}`, tries, isPick, picks, ROOM)
  const total = picks.reduce((sum: number, [, quantity]: [string, number]) => sum + quantity, 0)
  if (found !== undefined || (flow.total_quantity_picked === total && flow.lines[0].picked_quantity === total)) return found
  return `the shared flow ${id} has picks of ${total}, and says ${JSON.stringify(flow)}`
}

async function comparePacked(world: World, { packed }: SharedOrders, tries: Tries): Promise<string | undefined> {
  if (packed === undefined) return undefined
  const { shipments } = await world.read(`/shipments?order_id=${packed.order}&limit=100`)
  const { order_detail } = await world.read(`/orders/${packed.order}`)
  const rows = shipments.map((row: Data) => [row.reference, row.total_quantity])
  const isPacked = (name: string): boolean => name.startsWith('shared shipment ')
  return wrongTakes(`shipments of the shared order ${packed.order}`, tries, isPacked, rows, order_detail[0].picked_quantity)
}

/** Without `strict` all are created, and wait. */
async function compareScarce(world: World, { scarce }: SharedOrders, tries: Tries): Promise<string | undefined> {
  const orders = await openOrders(world)
  const policy = world.clients[0]?.state.policy
  const found = wrongTakes(
    'orders of the scarce product',
    tries,
    (name) => name.startsWith('shared order '),
    orders.map(({ order_tenant_id, order_detail }) => [order_tenant_id, order_detail[0].quantity]),
    policy === 'strict' ? STOCK : Infinity,
  )
  if (found !== undefined || policy === 'off') return found
  const hold = await holdOf(world, scarce.hold)
  const isTaken = hold.state === 'consumed' && orders.some(({ id }) => id === hold.order_id)
  if (isTaken !== orders.length > 0) return `the hold ${JSON.stringify(hold)} and ${orders.length} orders that name it`
  const reserved = orders.reduce((sum, { order_detail }) => sum + order_detail[0].reserved_quantity, 0)
  const wanted = orders.reduce((sum, { order_detail }) => sum + order_detail[0].quantity, 0)
  return orders.length === 0 || reserved === Math.min(wanted, STOCK)
    ? undefined
    : `orders of the scarce product want ${wanted} and have ${reserved}, and there are ${STOCK}`
}

/** Undefined under the policy `off`, which makes none. */
const holdOf = async (world: World, reference: string): Promise<Data> =>
  (await world.read(`/holds?reference=${encodeURIComponent(reference)}`)).holds[0]

/** Those of the round: they were cancelled at the end of others. */
async function openOrders(world: World): Promise<Data[]> {
  const { orders } = await world.read('/orders?state_id=1&assembly_date=2030-01-02&include_details=true&limit=100')
  return orders.filter(({ order_tenant_id: name }: Data) => name.startsWith('shared order '))
}

let rounds = 0

/** Ends what the clients shared, and gives them other records. */
export async function renewSharedOrders(world: World): Promise<void> {
  const [first] = world.clients
  if (first === undefined) return
  const { shared, policy } = first.state
  const round = ++rounds
  if (shared.orders !== undefined) {
    await world.write('POST', `/flows/${shared.orders.flow.id}/complete`, undefined)
    const { packed } = shared.orders
    const isPicked = packed !== undefined && (await world.read(`/orders/${packed.order}`)).state_id === COMPLETED
    const over = [...(await openOrders(world)).map(({ id }) => id), ...(packed === undefined || isPicked ? [] : [packed.order])]
    for (const id of over) await world.write('POST', `/orders/${id}/cancel`, undefined)
    const hold = await holdOf(world, shared.orders.scarce.hold)
    if (hold?.state === 'active') await world.write('DELETE', `/holds/${hold.id}`, undefined)
  }
  const { product, location, warehouse } = shared.places
  for (const [id, quantity] of [
    [product.plenty, PLENTY],
    [product.scarce, STOCK],
  ])
    await world.write('PUT', `/stock/product/${id}`, { location_id: location, quantity })
  const name = `shared flow ${round}`
  const lines = [{ barcode: 'plenty', quantity: ROOM }]
  const made = await world.write('POST', '/orders', {
    order_tenant_id: name,
    assembly_date: '2030-01-01',
    warehouse_id: warehouse,
    allow_backorder: true,
    order_detail: lines,
  })
  const flow = await world.write('POST', '/flows', { order_id: made.orders[0].id, operator_email: 'shared@example.com' })
  const hold = `shared hold ${round}`
  if (policy !== 'off')
    await world.write('POST', '/holds', {
      reference: hold,
      warehouse_id: warehouse,
      lines: [{ product_id: product.scarce, quantity: HELD }],
    })
  const former = shared.orders?.flow.id
  const packed = former === undefined ? undefined : await packedOf(world, former)
  for (const { state } of world.clients) {
    state.shared.orders = {
      flow: { id: flow.id, product: product.plenty, location },
      packed,
      scarce: { barcode: 'scarce', hold, warehouse },
    }
    state.shared.tries = noTries()
  }
}

/** What was picked in the flow of the last round is packed in this one. */
async function packedOf(world: World, flow: number): Promise<SharedOrders['packed']> {
  const { order_id: order, lines } = await world.read(`/flows/${flow}`)
  return { order, line: lines[0].order_detail_id }
}
