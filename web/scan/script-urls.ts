// The build makes it.
// oxlint-disable-next-line import/default
import decoderUrl from './camera/decoder.ts?worker&url'

const SERVICE_WORKER_URL = '/scan/sw.js'

interface Policies {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}

const URLS = new Set([SERVICE_WORKER_URL, decoderUrl])

/** The one policy of this page that makes addresses of scripts, and the two that it makes. */
const policy = (globalThis as { trustedTypes?: Policies }).trustedTypes?.createPolicy('scan', {
  createScriptURL: (url) => {
    if (URLS.has(url)) return url
    throw new TypeError(`No script of this page: ${url}`)
  },
})

const scriptUrl = (url: string): string => policy?.createScriptURL(url) ?? url

/** The address of the service worker, as the browser accepts it. */
export const serviceWorkerUrl = (): string => scriptUrl(SERVICE_WORKER_URL)

/** The address of the worker that reads codes from pictures. */
export const decoderWorkerUrl = (): string => scriptUrl(decoderUrl)
