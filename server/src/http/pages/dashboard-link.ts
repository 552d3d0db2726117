import type { Config } from '../../config.ts'

/** Addresses that a server can listen on but a browser cannot open, and those to open instead. */
const ANY_ADDRESS: Record<string, string> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }

/**
 * The URL that signs in to the dashboard with a code; undefined when the dashboard is not served. The code is in the fragment, which
 * browsers do not send, so no log contains it. `url` is the address that the server listens on.
 */
export function dashboardLink({ pages, publicUrl }: Config, url: string, code: string): string | undefined {
  if (!pages) return undefined
  const { hostname, port } = new URL(url)
  const origin = publicUrl ?? `http://${ANY_ADDRESS[hostname] ?? hostname}${port === '' ? '' : `:${port}`}`
  return `${origin}/dashboard/sign-in#code=${code}`
}
