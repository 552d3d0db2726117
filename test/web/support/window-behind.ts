import type { OpenWindow, Window } from './browser.ts'
import type { FaultyProxy } from './faulty-proxy.ts'

/** A window behind a network with faults, which ends before the window does: a page that reads again meets nobody. */
export async function windowBehind(proxy: FaultyProxy, openWindow: OpenWindow): Promise<Window> {
  const window = await openWindow({ baseURL: proxy.url })
  window.expectComplaint(/ERR_CONNECTION_REFUSED/)
  return window
}
