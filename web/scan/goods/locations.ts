import type { Location } from '@fulfillment/sdk'
import type { App } from '../app/app.ts'
import { isRetriedLater } from '../app/retried-later.ts'
import { findLocation } from '../data/find.ts'
import type { Binding } from '../store/database.ts'
import { bindingOfKept } from '../store/store.ts'
import type { KnownLocation } from './record.ts'

/** Locations beyond these are looked for on the server when they are scanned. */
const MAX_LOCATIONS = 2_000
const PAGE = 100
const READ_AGAIN_MS = 10 * 60_000

/** The reading of the locations that was begun last. */
let latest: { binding: Binding; at: number } | undefined

const knownLocation = ({ id, code, warehouse_id, sellable }: Location): KnownLocation => ({ id, code, warehouse_id, sellable })

/** Reads the locations of the device's tenant and mode, so that they can be scanned without a connection. */
export async function readLocations(app: App): Promise<void> {
  const binding = bindingOfKept(app.kept)
  if (binding === undefined || (latest?.binding === binding && performance.now() - latest.at < READ_AGAIN_MS)) return
  const reading = { binding, at: performance.now() }
  latest = reading
  try {
    const locations: KnownLocation[] = []
    for await (const location of app.api.client.locations.list({ limit: PAGE })) {
      locations.push(knownLocation(location))
      if (locations.length === MAX_LOCATIONS) break
    }
    // The device may have been enrolled elsewhere meanwhile.
    await app.store.commit((kept) => (bindingOfKept(kept) === binding ? { locations } : undefined), 'relaxed')
  } catch (error) {
    if (!isRetriedLater(error)) throw error
    // Next time.
    if (latest === reading) latest = undefined
  }
}

/** The location with this id, from the server; undefined if there is none. */
export async function searchLocation(app: App, id: string): Promise<KnownLocation | undefined> {
  const location = await findLocation(app.api.client, id)
  if (location === undefined) return undefined
  const found = knownLocation(location)
  const isKept = await app.keep(({ locations }) => ({ locations: [...locations.filter((other) => other.id !== id), found] }))
  return isKept ? found : undefined
}
