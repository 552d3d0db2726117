import { Finding } from '../client.ts'
import type { Data } from '../operation.ts'
import type { World } from '../world.ts'

/** Everything that can be read of a tenant while nothing goes on, by kind. */
export interface Snapshot {
  products: Data[]
  levels: Data[]
  movements: Data[]
  locations: Data[]
  orders: Data[]
  flows: Data[]
  availability: Data[]
  reservations: Data[]
  holds: Data[]
  inbound: Data[]
  returns: Data[]
  counts: Data[]
  shipments: Data[]
  batches: Data[]
  webhooks: Data[]
}

/** Reads all pages of all lists. No page may repeat or miss a record, and totals are exact. */
export async function readSnapshot(world: World): Promise<Snapshot> {
  const inactive = await allPages(world, '/products?is_active=false', 'products')
  return {
    products: [...(await allPages(world, '/products', 'products')), ...inactive],
    levels: await allByCursor(world, '/stock/levels?limit=15', 'levels'),
    movements: await allPages(world, '/stock/movements', 'movements'),
    locations: await allPages(world, '/locations', 'locations'),
    orders: await allPages(world, '/orders?include_details=true', 'orders'),
    flows: await allPages(world, '/flows', 'flows'),
    availability: await allPages(world, '/stock/availability', 'availability', pairOf),
    reservations: await allPages(world, '/stock/reservations', 'reservations', JSON.stringify),
    holds: await allPages(world, '/holds', 'holds'),
    inbound: await allPages(world, '/inbound', 'inbound'),
    returns: await allPages(world, '/returns', 'returns'),
    counts: await allPages(world, '/counts', 'counts'),
    shipments: await allPages(world, '/shipments', 'shipments'),
    batches: await allPages(world, '/flow-batches', 'flow_batches'),
    webhooks: (await world.read('/webhooks?include_inactive=true')).webhooks,
  }
}

const pairOf = ({ product_id, warehouse_id }: Data): string => `${product_id}/${warehouse_id}`

/** All records of a list, page by page. */
export async function allPages(
  world: World,
  path: string,
  field: string,
  identity: (row: Data) => unknown = ({ id }) => id,
): Promise<Data[]> {
  const rows: Data[] = []
  // Small, so that there are several pages.
  const limit = 25
  for (let page = 1; ; page++) {
    const data = await world.read(`${path}${path.includes('?') ? '&' : '?'}page=${page}&limit=${limit}`)
    const { total, total_pages } = data.pagination
    rows.push(...data[field])
    if (page < total_pages) continue
    if (total_pages !== Math.ceil(total / limit) || rows.length !== total)
      throw new Finding(
        `${world.name}: ${path} has ${rows.length} records on its pages, and a total of ${total} on ${total_pages} pages`,
      )
    if (new Set(rows.map(identity)).size !== rows.length) throw new Finding(`${world.name}: ${path} has a record twice`)
    return rows
  }
}

/** All records of a list with a cursor. */
export async function allByCursor(world: World, path: string, field: string): Promise<Data[]> {
  const rows: Data[] = []
  let cursor: string | null = null
  do {
    const data: Data = await world.read(`${path}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
    rows.push(...data[field])
    cursor = data.next_cursor
  } while (cursor !== null)
  return rows
}
