import type { FastifyReply } from 'fastify'
import type { PageOrigin } from './page-origin.ts'
import type { PageApp } from './page-request.ts'

/** Headers of every response below `/dashboard` and `/scan`. Files replace `Cache-Control`. */
export function setPageHeaders(reply: FastifyReply, origin: PageOrigin | undefined): void {
  reply.headers({
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  // On other origins, browsers ignore this header and log an error.
  if (origin?.isTrustworthy === true) reply.header('cross-origin-opener-policy', 'same-origin')
}

const OWN: Record<PageApp, { script: string; image: string; others: string; types: string; camera: string }> = {
  dashboard: { script: "'self'", image: "'self' https: data:", others: '', types: 'default', camera: '()' },
  scan: {
    script: "'self' 'wasm-unsafe-eval'",
    image: "'self' https: data: blob:",
    others: "media-src 'self' mediastream: blob:; worker-src 'self'; ",
    types: 'default scan',
    camera: '(self)',
  },
}

/** The Content-Security-Policy of a document. `nonce` is new for each response; only style elements with it apply. */
export function documentHeaders(app: PageApp, nonce: string): Record<string, string> {
  const { script, image, others, types, camera } = OWN[app]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      `default-src 'none'; script-src ${script}; style-src 'self' 'nonce-${nonce}'; img-src ${image}; connect-src 'self'; ` +
      `${others}manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; ` +
      `require-trusted-types-for 'script'; trusted-types ${types}`,
    'permissions-policy': `camera=${camera}, microphone=(), geolocation=(), payment=(), usb=()`,
  }
}
