import { newNumber, type ClientState, type Location } from '../client-state.ts'
import { numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'

/** Locations and warehouses: section 5 of the extensions. Every location of a client is in the client's own warehouse. */

const MOST_LOCATIONS = 5

export const anyLocation = (client: ClientState, random: Random): Location | undefined => random.one(client.locations)

export const shownLocation = ({ id, name, warehouse, pickable, sellable, pickSequence }: Location): object => ({
  id,
  name,
  warehouse_id: warehouse,
  pickable,
  sellable,
  pick_sequence: pickSequence,
})

export const LOCATIONS: Operation[] = [
  operation<{ n: number; taken: number | null; pickable: boolean; sellable: boolean; sequence: number | null }>({
    id: 'locations.create',
    weight: 4,
    makesRecord: true,
    draw(client, random) {
      const taken = random.chance(0.1) ? (anyLocation(client, random)?.n ?? null) : null
      if (client.locations.length >= MOST_LOCATIONS && taken === null) return undefined
      return {
        n: newNumber(client),
        taken,
        pickable: random.chance(0.8),
        sellable: random.chance(0.7),
        sequence: random.chance(0.5) ? random.int(0, 9) : null,
      }
    },
    request: (client, { n, taken, pickable, sellable, sequence }) => ({
      method: 'POST',
      path: '/locations',
      body: { id: `${client.name}-l${taken ?? n}`, warehouse_id: client.warehouse, pickable, sellable, pick_sequence: sequence },
    }),
    expect(client, { n, taken, pickable, sellable, sequence }) {
      if (numbered(client.locations, taken ?? 0) !== undefined) return refused('already_exists')
      const location: Location = {
        n: taken ?? n,
        id: `${client.name}-l${taken ?? n}`,
        name: null,
        warehouse: client.warehouse,
        pickable,
        sellable,
        pickSequence: sequence,
      }
      client.locations.push(location)
      client.books.locations.set(location.id, { warehouse: location.warehouse, isSellable: sellable })
      return ok(shownLocation(location))
    },
  }),

  operation<{ location: number; change: { pickable?: boolean; sellable?: boolean; pick_sequence?: number | null } }>({
    id: 'locations.update',
    weight: 1,
    draw(client, random) {
      const location = anyLocation(client, random)
      const change: { pickable?: boolean; sellable?: boolean; pick_sequence?: number | null } = random.of<object>([
        { pickable: random.chance(0.7) },
        { sellable: random.chance(0.6) },
        { pick_sequence: random.of([null, 1, 5]) },
      ])
      return location && { location: location.n, change }
    },
    request(client, { location, change }) {
      const known = numbered(client.locations, location)
      return known && { method: 'PUT', path: `/locations/${known.id}`, body: change }
    },
    expect(client, { location: n, change }) {
      const location = numbered(client.locations, n) as Location
      if (change.pickable !== undefined) location.pickable = change.pickable
      if (change.pick_sequence !== undefined) location.pickSequence = change.pick_sequence
      if (change.sellable !== undefined) {
        location.sellable = change.sellable
        client.books.setLocation(location.id, { isSellable: change.sellable })
      }
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
          (actual as { id: number }[]).some(({ id }) => id === client.warehouse) || (actual as unknown[]).length === 50,
      }),
  }),
]
