import type { App } from './app.ts'

/** Downloads all unsent entries as a file, for support to read. */
export async function saveQueue(app: App): Promise<void> {
  const entries = await app.store.allEntries()
  const file = new Blob([JSON.stringify(entries, undefined, 2)], { type: 'application/json' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = `scan-queue-${new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)}.json`
  link.click()
  URL.revokeObjectURL(link.href)
}
