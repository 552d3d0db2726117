import { newNumber, type ClientState, type Product } from '../client-state.ts'
import { numbered, ok, operation, refused, type Data, type Operation, type Request } from '../operation.ts'
import { anyProduct, totalOf } from './catalog.ts'

/** Operations without a model: their answers must be successes that fit the document, and name the records that were asked for. */

const today = (): string => new Date().toISOString().slice(0, 10)

/** A read without parameters. */
const read = (id: string, path: () => string, weight = 0.2): Operation =>
  operation<{ none: true }>({
    id,
    weight,
    isUnchecked: true,
    draw: () => ({ none: true }),
    request: () => ({ method: 'GET', path: path() }),
    expect: () => ok(),
  })

/** The records of a kind that the client has made. */
const recordsOf = (client: ClientState, kind: string): { n: number; id: string | number }[] => {
  const records = client.others.get(kind) ?? []
  client.others.set(kind, records)
  return records
}

/** Makes a record of a kind. */
const make = (id: string, kind: string, path: string, body: (client: ClientState, n: number) => object): Operation =>
  operation<{ n: number }>({
    id,
    weight: 0.3,
    makesRecord: true,
    isUnchecked: true,
    draw: (client) => (recordsOf(client, kind).length > 4 ? undefined : { n: newNumber(client) }),
    request: (client, { n }) => ({ method: 'POST', path, body: body(client, n) }),
    expect(client, { n }, data) {
      recordsOf(client, kind).push({ n, id: data.id })
      return ok()
    },
  })

/** A call on a record of a kind. */
const onRecord = (id: string, kind: string, of: (id: string | number) => Request, endsIt = false): Operation =>
  operation<{ record: number }>({
    id,
    weight: endsIt ? 0.1 : 0.2,
    isUnchecked: true,
    draw(client, random) {
      const record = random.one(recordsOf(client, kind))
      return record && { record: record.n }
    },
    request(client, { record }) {
      const known = numbered(recordsOf(client, kind), record)
      return known && of(known.id)
    },
    expect(client, { record }) {
      const { id: recordId } = numbered(recordsOf(client, kind), record) as { id: string | number }
      if (endsIt)
        client.others.set(
          kind,
          recordsOf(client, kind).filter(({ n }) => n !== record),
        )
      return ok(endsIt ? {} : { id: kind === 'operators' && id.endsWith('Badge') ? undefined : recordId })
    },
  })

/** The event of the feed that the client has seen last. */
const seenEvent = (client: ClientState): Data => client.others.get('event')?.[0]

const EVENTS: Operation[] = [
  operation<{ none: true }>({
    id: 'events.list',
    weight: 0.5,
    draw: () => ({ none: true }),
    request: () => ({ method: 'GET', path: '/events?order=desc&limit=5' }),
    expect(client, _, data) {
      if (data?.events.length > 0) client.others.set('event', [data.events[0]])
      return ok({ events: newestFirst })
    },
  }),
  operation<{ id: string }>({
    id: 'events.get',
    weight: 0.4,
    draw: (client) => seenEvent(client) && { id: seenEvent(client).id },
    request: (client, { id }) => (seenEvent(client)?.id === id ? { method: 'GET', path: `/events/${id}` } : undefined),
    expect: (client) => ok(seenEvent(client)),
  }),
]

const newestFirst = (rows: unknown): boolean =>
  (rows as Data[]).every(({ id }, index, all) => index === 0 || id < all[index - 1].id)

export const UNCHECKED: Operation[] = [
  ...EVENTS,
  // Sessions are made by the pages alone.
  operation<{ id: number }>({
    id: 'sessions.end',
    weight: 0.1,
    draw: (_, random) => ({ id: random.int(1_000_000_000, 2_000_000_000) }),
    request: (_, { id }) => ({ method: 'DELETE', path: `/sessions/${id}` }),
    expect: () => refused('not_found'),
  }),
  read('sessions.list', () => '/sessions'),
  read('operators.list', () => '/operators'),
  read('auditLog.list', () => '/audit-log?limit=10'),
  read('stock.levels', () => '/stock/levels?limit=20'),
  read('stock.reconcile', () => '/stock/reconcile?limit=20'),
  read('reports.orders', () => `/reports/orders?since=${today()}`),
  read('reports.picking', () => `/reports/picking?since=${today()}`),
  read('reports.deliveries', () => `/reports/deliveries?since=${today()}`),
  read('reports.usage', () => `/reports/usage?since=${today()}`),
  operation<{ product: number }>({
    id: 'reports.stock',
    weight: 0.2,
    draw(client, random) {
      const product = anyProduct(client, random)
      return product && { product: product.n }
    },
    request(client, { product }) {
      const known = numbered(client.products, product)
      return known && { method: 'GET', path: `/reports/stock?product_id=${known.id}&since=${today()}` }
    },
    // A server whose clock is days back tells of other days.
    expect(client, { product: n }) {
      const product = numbered(client.products, n) as Product
      const isNow = ({ at, quantity }: Data): boolean => !at.startsWith(today()) || quantity === totalOf(client, product)
      return ok({ minimum_threshold: product.threshold, points: (points: unknown) => (points as Data[]).every(isNow) })
    },
  }),
  make('operators.create', 'operators', '/operators', ({ name }, n) => ({
    name: `Operator ${n}`,
    email: `${name}-${n}@example.com`,
  })),
  onRecord('operators.get', 'operators', (id) => ({ method: 'GET', path: `/operators/${id}` })),
  onRecord('operators.update', 'operators', (id) => ({
    method: 'PUT',
    path: `/operators/${id}`,
    body: { may_change_stock: true },
  })),
  onRecord('operators.issueBadge', 'operators', (id) => ({ method: 'POST', path: `/operators/${id}/badge` })),
  make('devices.createCode', 'codes', '/devices/codes', (_, n) => ({ device_name: `Handheld ${n}` })),
]
