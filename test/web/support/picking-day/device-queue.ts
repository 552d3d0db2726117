import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Entry } from '../../../../web/scan/queue/entry.ts'

/** What the device keeps, read beside the app. */
export function queueOf(page: Page): Promise<Entry[]> {
  return page.evaluate(async () => {
    const result = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error ?? new Error('The database cannot be read')))
      })
    const database = await result(indexedDB.open('scan'))
    const entries = await result(database.transaction('queue').objectStore('queue').getAll())
    database.close()
    return entries as Entry[]
  })
}

/** The queue when nothing is left in it but what the operator has to decide on, and the ends of flows that wait for that. */
export async function whenSent(page: Page): Promise<Entry[]> {
  const isStuck = (entry: Entry, queue: Entry[]): boolean =>
    entry.state === 'refused' ||
    (entry.kind === 'complete' && queue.some(({ state, flow_id }) => state === 'refused' && flow_id === entry.flow_id))
  await expect
    .poll(async () => {
      const queue = await queueOf(page)
      return queue.filter((entry) => !isStuck(entry, queue))
    })
    .toEqual([])
  return await queueOf(page)
}
