import { createHandlerBoundToURL, precacheAndRoute } from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { CacheFirst } from 'workbox-strategies'

interface Worker {
  addEventListener(type: 'activate', listener: (event: { waitUntil(done: Promise<unknown>): void }) => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  skipWaiting(): Promise<void>
  clients: { claim(): Promise<void> }
}

/** The files of this build, with what tells them from those of another one. The build replaces it. */
declare const SCAN_FILES: { url: string; revision: string | null }[]
/** Files that are kept from their first use on. */
declare const CAMERA_FILES: string[]

const CAMERA = 'scan-camera'

const worker = globalThis as unknown as Worker

// The document is kept with its headers: its policy names the nonce in it. Calls of the API match none of this, and go to the server.
precacheAndRoute(SCAN_FILES, { directoryIndex: '', cleanURLs: false })
registerRoute(
  new NavigationRoute(createHandlerBoundToURL('/scan'), {
    allowlist: [/^\/scan(?:[/?]|$)/],
    denylist: [/^\/scan\/(?:api|session)(?:[/?]|$)/],
  }),
)

registerRoute(({ url }) => CAMERA_FILES.includes(url.pathname), new CacheFirst({ cacheName: CAMERA }))

// A new build waits until the page says that nothing is in the middle.
worker.addEventListener('message', ({ data }) => {
  if (data === 'activate') void worker.skipWaiting()
})
worker.addEventListener('activate', (event) => event.waitUntil(Promise.all([worker.clients.claim(), forgetOlderBuilds()])))

async function forgetOlderBuilds(): Promise<void> {
  const cache = await caches.open(CAMERA)
  const requests = await cache.keys()
  const gone = requests.filter(({ url }) => !CAMERA_FILES.includes(new URL(url).pathname))
  await Promise.all(gone.map((request) => cache.delete(request)))
}
