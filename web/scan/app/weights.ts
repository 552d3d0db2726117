import { weightPatternsOf } from '../store/store.ts'
import type { App } from './app.ts'
import { isRetriedLater } from './retried-later.ts'

/** Reads which barcodes contain a weight, so that they can be scanned without a connection. A key without `read:stock` has none. */
export async function readWeightPatterns(app: App): Promise<void> {
  try {
    const { weight_barcodes: now } = await app.api.client.settings.get()
    await app.store.commit(
      (kept) => (JSON.stringify(now) === JSON.stringify(weightPatternsOf(kept)) ? undefined : { weightPatterns: now }),
      'relaxed',
    )
  } catch (error) {
    // They are read again with the next flow.
    if (!isRetriedLater(error)) throw error
  }
}
