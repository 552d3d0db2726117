import type { FastifyRequest } from 'fastify'

/** The origin of the pages, as browsers see it. */
export interface PageOrigin {
  /** `https://stock.example` */
  origin: string
  isSecure: boolean
  /** Whether browsers treat the origin as safe: HTTPS, or the machine itself. */
  isTrustworthy: boolean
}

const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

/**
 * The origin of the request, or undefined when its `Host` is not the host of the pages: for example of an attacker's site whose name
 * resolves to this server. Without `PUBLIC_URL`, only the names of the local machine are accepted.
 */
export function pageOriginOf({ raw }: FastifyRequest, publicUrl: string | undefined): PageOrigin | undefined {
  const { host = '' } = raw.headers
  if (publicUrl === undefined) {
    const isLocal = LOOPBACK_HOST.test(host) && URL.canParse(`http://${host}`)
    return isLocal ? { origin: new URL(`http://${host}`).origin, isSecure: false, isTrustworthy: true } : undefined
  }
  const { protocol, host: expected, hostname } = new URL(publicUrl)
  const given = `${protocol}//${host}`
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(given) || new URL(given).host !== expected) return undefined
  const isSecure = protocol === 'https:'
  return { origin: publicUrl, isSecure, isTrustworthy: isSecure || LOOPBACK_HOST.test(hostname) }
}
