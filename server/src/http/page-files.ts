import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BUILT_PAGES } from '../built-pages.ts'
import { ServiceError } from '../procedures/errors.ts'
import { pathOf } from './page-guard.ts'
import { documentHeaders } from './page-headers.ts'
import { sendPageNotice } from './page-notice.ts'
import type { PageApp } from './page-request.ts'

const NONCE_BYTES = 16
/** Marks the position of the nonce in a built document. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__'
/** For files with a hash of their content in their name. */
const FOREVER = 'public, max-age=31536000, immutable'
/** Clients revalidate at each visit, and download the file only if it has changed. */
const REVALIDATED = 'no-cache'
/** The service worker of an app. By default it could not control the app's own address, which has no slash at its end. */
const SERVICE_WORKER = 'sw.js'
/** Suffixes of the compressed files that the build writes beside each file. */
const SUFFIXES: Record<string, string> = { br: '.br', gzip: '.gz' }

/** Sends a file of the app, or its document. Every path without a dot is a page that the document shows. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply, app: PageApp): Promise<FastifyReply> {
  const requested = pathOf(request)
  const name = requested.slice(`/${app}/`.length)
  return name.includes('.') ? await sendFile(request, reply, app, name) : await sendDocument(request, reply, app)
}

async function sendDocument(request: FastifyRequest, reply: FastifyReply, app: PageApp): Promise<FastifyReply> {
  const document = await readFile(path.join(BUILT_PAGES, app, 'index.html'), 'utf8').catch(() => undefined)
  if (document === undefined) {
    const failure = notBuilt()
    if (sendPageNotice(request, reply, failure)) return reply
    throw failure
  }
  const nonce = randomBytes(NONCE_BYTES).toString('base64')
  return reply.headers(documentHeaders(app, nonce)).send(document.replaceAll(NONCE_PLACEHOLDER, nonce))
}

function notBuilt(): ServiceError {
  return new ServiceError('service_unavailable', 'The pages are not built: run npm run build')
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, app: PageApp, name: string): Promise<FastifyReply> {
  // Documents are sent only by `sendDocument`, with their headers, and compressed files only in place of the original.
  if (/\.(html|br|gz)$/i.test(name)) throw noFile(request)
  const { send } = await import('@fastify/send')
  const root = path.join(BUILT_PAGES, app)
  const options = { root, index: false, cacheControl: false, acceptRanges: false, dotfiles: 'ignore' } as const
  const encoding = negotiate(request.headers['accept-encoding'] ?? '', Object.keys(SUFFIXES)) ?? 'identity'
  const suffix = SUFFIXES[encoding]
  const compressed = suffix === undefined ? undefined : await send(request.raw, `/${name}${suffix}`, options)
  const file = compressed?.type === 'file' ? compressed : await send(request.raw, `/${name}`, options)
  if (file.type !== 'file') throw noFile(request)
  const isHashed = name.startsWith('assets/')
  reply
    .code(file.statusCode)
    .headers(file.headers)
    .headers({ 'cache-control': isHashed ? FOREVER : REVALIDATED, vary: 'Accept-Encoding' })
  if (file.statusCode === 200) reply.header('content-type', await typeOf(name))
  if (name === SERVICE_WORKER) reply.header('service-worker-allowed', `/${app}`)
  if (file === compressed) reply.header('content-encoding', encoding)
  return await reply.send(file.stream)
}

async function typeOf(name: string): Promise<string> {
  const { mime, isUtf8MimeType } = await import('@fastify/send')
  // RFC 9239 made `application/javascript` obsolete.
  const type = name.endsWith('.js') ? 'text/javascript' : (mime.getType(name) ?? 'application/octet-stream')
  return isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
}

function noFile(request: FastifyRequest): ServiceError {
  return new ServiceError('not_found', `No route ${request.method} ${pathOf(request)}`)
}
