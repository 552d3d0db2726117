import type { Location } from '@fulfillment/sdk'
import type { App } from '../app/app.ts'
import { isRetriedLater } from '../app/retried-later.ts'
import { findLocation } from '../data/find.ts'
import type { Binding } from '../store/database.ts'
import { bindingOfKept } from '../store/store.ts'
import type { Place } from './record.ts'

/** Locations beyond these are looked for on the server when they are scanned. */
const MAX_PLACES = 2_000
const PAGE = 100
const READ_AGAIN_MS = 10 * 60_000

/** The reading of the locations that was begun last. */
let latest: { binding: Binding; at: number } | undefined

const placeOf = ({ id, code, warehouse_id, sellable }: Location): Place => ({ id, code, warehouse_id, sellable })

/** Reads the locations of the device's tenant and mode, so that they can be scanned without a connection. */
export async function readPlaces(app: App): Promise<void> {
  const binding = bindingOfKept(app.kept)
  if (binding === undefined || (latest?.binding === binding && performance.now() - latest.at < READ_AGAIN_MS)) return
  const reading = { binding, at: performance.now() }
  latest = reading
  try {
    const places: Place[] = []
    for await (const location of app.api.client.locations.list({ limit: PAGE })) {
      places.push(placeOf(location))
      if (places.length === MAX_PLACES) break
    }
    // The device may have been enrolled elsewhere meanwhile.
    await app.store.commit((kept) => (bindingOfKept(kept) === binding ? { places } : undefined), 'relaxed')
  } catch (error) {
    if (!isRetriedLater(error)) throw error
    // Next time.
    if (latest === reading) latest = undefined
  }
}

/** The location with this id, from the server; undefined if there is none. */
export async function searchPlace(app: App, id: string): Promise<Place | undefined> {
  const location = await findLocation(app.api.client, id)
  if (location === undefined) return undefined
  const place = placeOf(location)
  const isKept = await app.keep(({ places }) => ({ places: [...places.filter((other) => other.id !== id), place] }))
  return isKept ? place : undefined
}
