import { emitLowAlert, newNumber, type ClientState, type Location } from '../client-state.ts'
import { numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'

/** Locations and warehouses: section 5 of the extensions. Every location of a client is in one of the client's own warehouses. */

const MAX_LOCATIONS = 5

export const anyLocation = (client: ClientState, random: Random): Location | undefined => random.one(client.locations)

/** The position of one of the client's warehouses: of the first one mostly, so that much happens there. */
export const drawWarehouse = (random: Random): number => (random.chance(0.75) ? 0 : 1)

/** The warehouse at a position. */
export const warehouseAt = (client: ClientState, position: number): number => client.warehouses[position] as number

export const shownLocation = ({ id, name, warehouse, pickable, sellable, pickSequence }: Location): object => ({
  id,
  name,
  warehouse_id: warehouse,
  pickable,
  sellable,
  pick_sequence: pickSequence,
})

interface LocationChange {
  pickable?: boolean
  sellable?: boolean
  pick_sequence?: number | null
  warehouse?: number
}

/** The stock of the location is in the other warehouse then, where what was reserved may not be. */
function moveTo(client: ClientState, location: Location, warehouse: number): void {
  const from = location.warehouse
  const before = client.products.map(({ id }) => client.books.numbers(id, from).on_hand)
  location.warehouse = warehouse
  client.books.setLocation(location.id, { warehouse, isSellable: location.sellable })
  for (const [index, product] of client.products.entries()) emitLowAlert(client, product, from, before[index] ?? 0)
}

export const LOCATIONS: Operation[] = [
  operation<{
    n: number
    taken: number | null
    warehouse: number
    pickable: boolean
    sellable: boolean
    sequence: number | null
  }>({
    id: 'locations.create',
    weight: 4,
    makesRecord: true,
    draw(client, random) {
      const taken = random.chance(0.1) ? (anyLocation(client, random)?.n ?? null) : null
      if (client.locations.length >= MAX_LOCATIONS && taken === null) return undefined
      return {
        n: newNumber(client),
        taken,
        warehouse: drawWarehouse(random),
        pickable: random.chance(0.8),
        sellable: random.chance(0.7),
        sequence: random.chance(0.5) ? random.int(0, 9) : null,
      }
    },
    request: (client, { n, taken, warehouse, pickable, sellable, sequence }) => ({
      method: 'POST',
      path: '/locations',
      body: {
        id: `${client.name}-l${taken ?? n}`,
        warehouse_id: warehouseAt(client, warehouse),
        pickable,
        sellable,
        pick_sequence: sequence,
      },
    }),
    expect(client, { n, taken, warehouse, pickable, sellable, sequence }) {
      if (numbered(client.locations, taken ?? 0) !== undefined) return refused('already_exists')
      const location: Location = {
        n: taken ?? n,
        id: `${client.name}-l${taken ?? n}`,
        name: null,
        warehouse: warehouseAt(client, warehouse),
        pickable,
        sellable,
        pickSequence: sequence,
      }
      client.locations.push(location)
      client.books.locations.set(location.id, { warehouse: location.warehouse, isSellable: sellable })
      return ok(shownLocation(location))
    },
  }),

  operation<{ location: number; change: LocationChange }>({
    id: 'locations.update',
    weight: 2,
    draw(client, random) {
      const location = anyLocation(client, random)
      const change = random.of<LocationChange>([
        { pickable: random.chance(0.7) },
        { sellable: random.chance(0.6) },
        { pick_sequence: random.of([null, 1, 5]) },
        { warehouse: drawWarehouse(random), ...(random.chance(0.3) ? { sellable: random.chance(0.6) } : {}) },
      ])
      return location && { location: location.n, change }
    },
    request(client, { location, change: { warehouse, ...change } }) {
      const known = numbered(client.locations, location)
      const body = { ...change, ...(warehouse === undefined ? {} : { warehouse_id: warehouseAt(client, warehouse) }) }
      return known && { method: 'PUT', path: `/locations/${known.id}`, body }
    },
    expect(client, { location: n, change }) {
      const location = numbered(client.locations, n) as Location
      if (change.pickable !== undefined) location.pickable = change.pickable
      if (change.pick_sequence !== undefined) location.pickSequence = change.pick_sequence
      location.sellable = change.sellable ?? location.sellable
      if (change.sellable !== undefined || change.warehouse !== undefined)
        moveTo(client, location, change.warehouse === undefined ? location.warehouse : warehouseAt(client, change.warehouse))
      return ok(shownLocation(location))
    },
  }),

  operation<{ none: true }>({
    id: 'locations.list',
    weight: 0.3,
    draw: () => ({ none: true }),
    request: () => ({ method: 'GET', path: '/locations?limit=100' }),
    expect: (client) =>
      ok({
        locations: (actual: unknown) => {
          const own = (actual as { id: string }[]).filter(({ id }) => id.startsWith(`${client.name}-`))
          return own.length === client.locations.length || (actual as unknown[]).length === 100
        },
      }),
  }),

  operation<{ n: number }>({
    id: 'warehouses.create',
    weight: 0.1,
    makesRecord: true,
    draw: (client) => ({ n: newNumber(client) }),
    request: (client, { n }) => ({ method: 'POST', path: '/warehouses', body: { name: `${client.name} ${n}` } }),
    expect: (client, { n }) => ok({ name: `${client.name} ${n}` }),
  }),

  operation<{ none: true }>({
    id: 'warehouses.list',
    weight: 0.2,
    draw: () => ({ none: true }),
    request: () => ({ method: 'GET', path: '/warehouses' }),
    expect: (client) =>
      ok({
        warehouses: (actual: unknown) =>
          (actual as { id: number }[]).some(({ id }) => id === client.warehouses[0]) || (actual as unknown[]).length === 50,
      }),
  }),
]
