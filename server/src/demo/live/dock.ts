import type { InboundDelivery, Return } from '@fulfillment/sdk'
import { DOCKS, QUARANTINES, shelfOf } from '../places.ts'
import { Random } from '../random.ts'
import { RETURN_REASONS } from '../returns-desk.ts'
import { catalogOf } from './catalog-of.ts'
import type { LiveOptions } from './customers.ts'
import { defaultWarehouseOf } from './default-warehouse.ts'
import { exact } from './exact.ts'
import type { Person } from './person.ts'
import { unlessRefused } from './refusal.ts'

const RETURNS_SHARE = 0.3

type Line = Pick<InboundDelivery['lines'][number], 'id' | 'product_id' | 'product_name' | 'quantity' | 'received_quantity'>

/** Who works at the dock, and what there is to know for it. */
interface Dock {
  options: LiveOptions
  person: Person
  random: Random
  /** Position in the catalog, by id of the product. */
  positions: ReadonlyMap<number, number>
  defaultWarehouse: number | undefined
}

/** Receives deliveries and returns, piece by piece, until the demo is over. */
export async function workDock(options: LiveOptions, person: Person): Promise<void> {
  const { client, seed, pace } = options
  const random = new Random(`${seed} dock`)
  const catalog = await catalogOf(client)
  const positions = new Map(catalog.map(({ id }, position) => [id, position]))
  const defaultWarehouse = await defaultWarehouseOf(client)
  const dock: Dock = { options, person, random, positions, defaultWarehouse }
  for (;;) {
    await pace.wait(pace.dockMs, random)
    if (pace.isOver) return
    const [first, second] = random.chance(RETURNS_SHARE) ? [receiveReturn, receiveDelivery] : [receiveDelivery, receiveReturn]
    const isDone = await unlessRefused(options.journal, person.name, () => first(dock))
    if (isDone !== true) await unlessRefused(options.journal, person.name, () => second(dock))
  }
}

/** Receives a piece of the delivery that was begun, or of the oldest one, and puts it away. False if there is none. */
async function receiveDelivery(dock: Dock): Promise<boolean> {
  const { client, journal, pace } = dock.options
  const { name, id: operator_id } = dock.person
  const [begun] = (await client.inbound.list({ state: 'receiving', limit: 1 })).inbound
  const [expected] = begun === undefined ? (await client.inbound.list({ state: 'expected', limit: 100 })).inbound.slice(-1) : []
  const found = begun ?? expected
  if (found === undefined) return false
  const delivery = await client.inbound.get(found.id)
  const line = delivery.lines.find(isOpen)
  if (line === undefined) {
    await client.inbound.close(delivery.id)
    journal.tell(`${name} closes the delivery ${delivery.reference}`)
    return true
  }
  const quantity = pieceOf(dock, line)
  const location_id = DOCKS[warehouseOf(dock, delivery)] as string
  await client.inbound.receive(delivery.id, { line_id: line.id, quantity, location_id, operator_id })
  journal.receipts++
  journal.tell(`${name} receives ${quantity} × ${line.product_name} of ${delivery.reference}`)
  await pace.wait(pace.pickMs, dock.random)
  const { product_id } = line
  const to_location_id = shelfFor(dock, line, delivery)
  // Also when the demo is over: goods that were received do not stay at the dock.
  await client.stock.transfer({ product_id, from_location_id: location_id, to_location_id, quantity, reason: 'put away' })
  return true
}

/** Receives a piece of the return that was begun, or of the oldest one. False if there is none. */
async function receiveReturn(dock: Dock): Promise<boolean> {
  const { client, journal } = dock.options
  const { name, id: operator_id } = dock.person
  const [begun] = (await client.returns.list({ state: 'receiving', limit: 1 })).returns
  const [expected] = begun === undefined ? (await client.returns.list({ state: 'expected', limit: 100 })).returns.slice(-1) : []
  const found = begun ?? expected
  if (found === undefined) return false
  const record = await client.returns.get(found.id)
  const line = record.lines.find(isOpen)
  if (line === undefined) {
    await client.returns.close(record.id)
    journal.tell(`${name} closes the return ${record.reference}`)
    return true
  }
  const quantity = pieceOf(dock, line)
  const disposition = RETURN_REASONS.find(({ reason }) => reason === record.reason)?.disposition ?? 'quarantine'
  const place = {
    restock: () => ({ location_id: shelfFor(dock, line, record) }),
    quarantine: () => ({ location_id: QUARANTINES[warehouseOf(dock, record)] as string }),
    scrap: () => ({}),
  }[disposition]()
  await client.returns.receive(record.id, { line_id: line.id, quantity, disposition, ...place, operator_id })
  journal.returned++
  journal.tell(`${name} takes back ${quantity} × ${line.product_name} of ${record.order_tenant_id}: ${disposition}`)
  return true
}

const isOpen = ({ quantity, received_quantity: received }: Line): boolean => received < quantity

/** A part of what is still to come of a line, at least a third. */
function pieceOf({ random }: Dock, { quantity, received_quantity: received }: Line): number {
  const open = exact(quantity - received)
  return Math.min(open, random.integer(Math.ceil(open / 3), Math.ceil(open)))
}

const warehouseOf = ({ defaultWarehouse }: Dock, { warehouse_id: id }: InboundDelivery | Return): number =>
  id === defaultWarehouse ? 0 : 1

const shelfFor = (dock: Dock, { product_id: product }: Line, record: InboundDelivery | Return): string =>
  shelfOf(dock.positions.get(product) ?? 0, warehouseOf(dock, record))
