import { downloadText } from '../../shared/download.ts'
import type { App } from './app.ts'

/** Downloads the unsent entries of this tenant and mode as a file, for support to read. */
export function saveQueue({ kept }: App): void {
  const name = `scan-queue-${new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)}.json`
  downloadText(JSON.stringify(kept.entries, undefined, 2), name, 'application/json')
}
