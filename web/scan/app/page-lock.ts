const NAME = 'scan-page'
const LEASE_MS = 4_000
const RENEW_MS = 1_000

/** Whether another tab works: until this one has the lock, it shows nothing but that. */
export type PageLock = { isHeld: true; lost: AbortSignal } | { isHeld: false }

/**
 * Makes this tab the one that works, unless another one is; with `steal`, takes over from it. `lost` aborts when another tab takes over.
 * Browsers have Web Locks over HTTPS and on the device itself; elsewhere a lease in `localStorage` stands in. Either is a courtesy to the
 * operator: that two tabs never write is the store's own doing.
 */
export async function holdPage(steal: boolean): Promise<PageLock> {
  return 'locks' in navigator ? await holdLock(steal) : holdLease(steal)
}

/** Runs while no other tab sends: a tab that was taken over may still wait for a response. */
export async function whileSending(run: () => Promise<void>, signal: AbortSignal): Promise<void> {
  if (!('locks' in navigator)) return await run()
  try {
    await navigator.locks.request('scan-send', { signal }, run)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function holdLock(steal: boolean): Promise<PageLock> {
  const lost = new AbortController()
  return new Promise((resolve) => {
    const held = navigator.locks.request(NAME, steal ? { steal } : { ifAvailable: true }, (lock) => {
      if (lock === null) return resolve({ isHeld: false })
      resolve({ isHeld: true, lost: lost.signal })
      // Held as long as the page lives.
      return new Promise<never>(() => undefined)
    })
    // Stolen by another tab, or refused before it was held.
    held.catch(() => {
      lost.abort()
      resolve({ isHeld: false })
    })
  })
}

interface Lease {
  owner: string
  at: number
}

function holdLease(steal: boolean): PageLock {
  const owner = crypto.getRandomValues(new Uint32Array(2)).join('-')
  const lease = readLease()
  // The clock may have been set back since.
  if (!steal && lease !== undefined && Math.abs(Date.now() - lease.at) < LEASE_MS) return { isHeld: false }
  const lost = new AbortController()
  const write = (): void => localStorage.setItem(NAME, JSON.stringify({ owner, at: Date.now() } satisfies Lease))
  write()
  const check = (): void => {
    if (readLease()?.owner !== owner) lost.abort()
    else write()
  }
  const timer = setInterval(check, RENEW_MS)
  // Of another tab.
  addEventListener('storage', check, { signal: lost.signal })
  lost.signal.addEventListener('abort', () => clearInterval(timer))
  addEventListener('pagehide', () => !lost.signal.aborted && localStorage.removeItem(NAME))
  return { isHeld: true, lost: lost.signal }
}

function readLease(): Lease | undefined {
  const stored = localStorage.getItem(NAME)
  return stored === null ? undefined : (JSON.parse(stored) as Lease)
}
