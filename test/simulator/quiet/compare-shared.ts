import type { Data } from '../operation.ts'
import type { World } from '../world.ts'
import { brokenChain } from './compare-client.ts'
import { sameRows } from './same-rows.ts'
import type { Snapshot } from './snapshot.ts'

/** The reason of movements of receipts. */
const RECEIPT = 'stock_receipt'
/** What the shared delivery has room for: its clients try more. */
const ROOM = 12

/** The product that all clients of a tenant adjust: each acknowledged call once, each refused one never, nothing else. */
export function compareShared(world: World, { movements, levels }: Snapshot, events: readonly Data[]): string | undefined {
  const states = world.clients.map(({ state }) => state.shared)
  const product = states[0]?.product
  const rows = movements.filter((row) => row.product_id === product)
  const adjustments = rows.filter(({ reason }) => reason !== RECEIPT)
  const lost = new Set(states.flatMap((shared) => [...shared.lost]))
  const reasons = adjustments.map(({ reason }) => reason as string)
  const known = states.flatMap(({ acknowledged }) => [...acknowledged])
  const happened = [...lost].filter((reason) => reasons.includes(reason))
  for (const { shared } of world.clients.map(({ state }) => state)) {
    for (const reason of shared.lost) if (reasons.includes(reason)) shared.acknowledged.add(reason)
    shared.lost.clear()
  }
  const level = levels.find((row) => row.product_id === product)?.quantity ?? 0
  const total = rows.reduce((sum, row) => sum + row.new_quantity - row.previous_quantity, 0)
  const told = events.filter(({ event, data }) => event === 'stock/updated' && data.product_id === product)
  const jump = told.find(({ data }, index) => index > 0 && told[index - 1]?.data.quantity !== data.previous_quantity)
  return (
    sameRows('shared adjustments', [...known, ...happened], reasons) ??
    brokenChain(rows) ??
    (level === total ? undefined : `the shared level is ${level}, and its movements make ${total}`) ??
    (jump && `the event ${JSON.stringify(jump)} of the shared level does not go on from the one before`) ??
    (told.length === 0 || told.at(-1)?.data.quantity === level
      ? undefined
      : `the shared level is ${level}, and its last event says ${told.at(-1)?.data.quantity}`)
  )
}

/**
 * The delivery that all clients receive: each acknowledged receipt once, and never more than was announced. Then it is closed, and the clients get
 * another one.
 */
export async function renewInbound(world: World): Promise<string | undefined> {
  const states = world.clients.map(({ state }) => state.shared)
  const [first] = states
  const found = first?.inbound === undefined ? undefined : await compareInbound(world, first.inbound)
  if (first === undefined || found !== undefined) return found
  if (first.inbound !== undefined) await world.write('POST', `/inbound/${first.inbound}/close`, {})
  const lines = [{ product_id: first.product, quantity: ROOM }]
  const { id } = await world.write('POST', '/inbound', { reference: `shared ${++deliveries}`, lines })
  for (const shared of states) {
    shared.inbound = id
    shared.receipts.clear()
    shared.lostReceipts.clear()
  }
  return undefined
}

let deliveries = 0

async function compareInbound(world: World, id: number): Promise<string | undefined> {
  const states = world.clients.map(({ state }) => state.shared)
  const inbound = await world.read(`/inbound/${id}`)
  const receipts: Data[] = (await world.read(`/inbound/${id}/receipts?limit=100`)).receipts
  const lost = new Set(states.flatMap(({ lostReceipts }) => [...lostReceipts]))
  const known = states.flatMap((shared) => [...shared.receipts])
  const found = sameRows(
    `receipts of the shared delivery ${id}`,
    known,
    receipts.filter((row) => !lost.has(row.id)).map((row) => [row.id, row.quantity]),
  )
  const total = receipts.reduce((sum, { quantity }) => sum + quantity, 0)
  if (found !== undefined) return found
  if (total > ROOM) return `the shared delivery ${id} has receipts of ${total}, and ${ROOM} were announced`
  if (inbound.total_received === total && inbound.lines[0].received_quantity === total) return undefined
  return `the shared delivery ${id} has receipts of ${total}, and says ${JSON.stringify(inbound)}`
}
