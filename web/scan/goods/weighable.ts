import type { App } from '../app/app.ts'
import { isRetriedLater } from '../app/retried-later.ts'
import { eachProduct } from '../data/each-product.ts'
import type { RecordRef } from '../queue/entry.ts'
import { recordKey } from './record.ts'

/**
 * Reads which products of a delivery or return are sold by weight: its lines do not tell, and others have no fractions, also without a
 * connection. A key without `read:products` does not know.
 */
export async function readWeighable(app: App, ref: RecordRef): Promise<void> {
  const key = recordKey(ref)
  const row = app.kept.records.get(key)
  const ids = new Set(row?.known.record.lines.map(({ product_id }) => product_id))
  const unread = [...ids].filter((id) => row?.weighable?.[id] === undefined)
  try {
    for await (const { id, weighable } of eachProduct(app.api.client, unread)) {
      const isKept = await app.store.commit(({ records }) => {
        const now = records.get(key)
        return now && { records: new Map([[key, { ...now, weighable: { ...now.weighable, [id]: weighable } }]]) }
      }, 'relaxed')
      // It has left the device.
      if (isKept === undefined) return
    }
  } catch (error) {
    // They are read when the record is opened again.
    if (!isRetriedLater(error)) throw error
  }
}
