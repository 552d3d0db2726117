import { emit, newNumber, sum, type ClientState, type Order, type Shipment } from '../client-state.ts'
import { numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'
import { anyOrder, shipmentStatus } from './orders.ts'

/** Shipments: section 12 of the extensions. Packages name lines of the order. */

type Packages = { line: number; quantity: number }[][]

const any = (client: ClientState, random: Random): Shipment | undefined => random.one(client.shipments.slice(-12))

/** What is packed of a line, in shipments that are not cancelled. */
const packedOf = (client: ClientState, order: Order, line: number, besides?: Shipment): number =>
  sum(
    client.shipments
      .filter((one) => one.order === order && one.state !== 'cancelled' && one !== besides)
      .flatMap(({ packages }) => packages.flatMap(({ lines }) => lines.filter((part) => part.line === line)))
      .map(({ quantity }) => quantity),
  )

const fits = (client: ClientState, order: Order, packages: Packages, besides?: Shipment): boolean =>
  order.lines.every((_, line) => {
    const wanted = sum(packages.flat().map((part) => (part.line === line ? part.quantity : 0)))
    return wanted === 0 || packedOf(client, order, line, besides) + wanted <= (order.taken[line] ?? 0)
  })

const drawPackages = (order: Order, random: Random): Packages =>
  Array.from({ length: random.int(0, 2) }, () => [{ line: random.int(0, order.lines.length - 1), quantity: random.int(1, 2) }])

const sent = (order: Order, packages: Packages): object[] =>
  packages.map((lines) => ({ lines: lines.map(({ line, quantity }) => ({ order_detail_id: order.lines[line]?.id, quantity })) }))

export const shownShipment = (shipment: Shipment): object => ({
  id: shipment.id,
  reference: shipment.reference,
  order_id: shipment.order.id,
  state: shipment.state,
  total_quantity: sum(shipment.packages.flatMap(({ lines }) => lines.map(({ quantity }) => quantity))),
  packages: shipment.packages.map(({ lines }, index) => ({
    number: index + 1,
    lines: lines.map(({ line, quantity }) => ({ order_detail_id: shipment.order.lines[line]?.id, quantity })),
  })),
})

function changeState(
  client: ClientState,
  shipment: Shipment,
  state: Shipment['state'],
  previous: Shipment['state'] | null,
): void {
  shipment.state = state
  emit(client, 'shipment/updated', `shipment:${shipment.id}`, {
    shipment_id: shipment.id,
    order_id: shipment.order.id,
    state,
    previous_state: previous,
    shipment_status: shipmentStatus(client, shipment.order) ?? null,
  })
}

const request = (client: ClientState, n: number, method: 'GET' | 'POST', rest = '') => {
  const shipment = numbered(client.shipments, n)
  return shipment && { method, path: `/shipments/${shipment.id}${rest}` }
}

const FROM = { ship: ['open'], deliver: ['shipped'], cancel: ['open', 'shipped'] } as const
const TO = { ship: 'shipped', deliver: 'delivered', cancel: 'cancelled' } as const

export const SHIPMENTS: Operation[] = [
  operation<{ n: number; order: number; packages: Packages }>({
    id: 'shipments.create',
    weight: 3,
    makesRecord: true,
    draw(client, random) {
      const order = anyOrder(client, random, ({ lines, taken }) => sum(taken) > 0 && lines.every(({ id }) => id !== 0))
      return order && { n: newNumber(client), order: order.n, packages: drawPackages(order, random) }
    },
    request(client, { n, order, packages }) {
      const known = numbered(client.orders, order)
      const body = known && { reference: `${client.name}-ship${n}`, order_id: known.id, packages: sent(known, packages) }
      return body && { method: 'POST', path: '/shipments', body }
    },
    expect(client, { n, order: number, packages }, data) {
      const order = numbered(client.orders, number) as Order
      if (order.state === 7 && (packages.length > 0 || data?.refused === 'shipment_error')) return refused('shipment_error')
      if (!fits(client, order, packages)) return refused('shipment_error')
      const shipment: Shipment = {
        n,
        id: data.id,
        reference: `${client.name}-ship${n}`,
        order,
        state: 'open',
        packages: packages.map((lines) => ({ lines, tracking: null })),
      }
      client.shipments.push(shipment)
      changeState(client, shipment, 'open', null)
      return ok(shownShipment(shipment))
    },
  }),

  operation<{ shipment: number; packages: Packages }>({
    id: 'shipments.update',
    weight: 1,
    draw(client, random) {
      const shipment = any(client, random)
      return shipment && { shipment: shipment.n, packages: drawPackages(shipment.order, random) }
    },
    request(client, { shipment, packages }) {
      const known = numbered(client.shipments, shipment)
      return known && { method: 'PUT', path: `/shipments/${known.id}`, body: { packages: sent(known.order, packages) } }
    },
    expect(client, { shipment: n, packages }) {
      const shipment = numbered(client.shipments, n) as Shipment
      const { order } = shipment
      if (shipment.state !== 'open' || order.state === 7 || !fits(client, order, packages, shipment))
        return refused('shipment_error')
      shipment.packages = packages.map((lines) => ({ lines, tracking: null }))
      return ok(shownShipment(shipment))
    },
  }),

  ...(['ship', 'deliver', 'cancel'] as const).map((verb) =>
    operation<{ shipment: number }>({
      id: `shipments.${verb}`,
      weight: verb === 'cancel' ? 0.5 : 1.5,
      draw(client, random) {
        const shipment = any(client, random)
        return shipment && { shipment: shipment.n }
      },
      request: (client, { shipment }) => request(client, shipment, 'POST', `/${verb}`),
      expect(client, input) {
        const shipment = numbered(client.shipments, input.shipment) as Shipment
        if (shipment.state === TO[verb]) return ok(shownShipment(shipment))
        if (!FROM[verb].some((state) => state === shipment.state)) return refused('shipment_error')
        if (verb === 'ship' && (shipment.order.state === 7 || shipment.packages.every(({ lines }) => lines.length === 0)))
          return refused('shipment_error')
        changeState(client, shipment, TO[verb], shipment.state)
        return ok(shownShipment(shipment))
      },
    }),
  ),

  operation<{ shipment: number }>({
    id: 'shipments.get',
    weight: 1,
    draw(client, random) {
      const shipment = any(client, random)
      return shipment && { shipment: shipment.n }
    },
    request: (client, { shipment }) => request(client, shipment, 'GET'),
    expect: (client, { shipment }) => ok(shownShipment(numbered(client.shipments, shipment) as Shipment)),
  }),

  operation<{ order: number }>({
    id: 'shipments.list',
    weight: 0.5,
    draw(client, random) {
      const shipment = any(client, random)
      return shipment && { order: shipment.order.n }
    },
    request(client, { order }) {
      const known = numbered(client.orders, order)
      return known && { method: 'GET', path: `/shipments?order_id=${known.id}` }
    },
    expect(client, input) {
      const shipments = client.shipments.filter(({ order }) => order.n === input.order).toReversed()
      return ok({ shipments: shipments.map(shownShipment), pagination: { total: shipments.length } })
    },
  }),
]
