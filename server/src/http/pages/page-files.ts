import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import { pathOf } from '../url-path.ts'
import { BUILT_PAGES, isBuilt } from './built-pages.ts'
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
/** Building takes seconds, once somebody has begun. */
const RETRY_AFTER_SECONDS = 10
/** The service worker of an app. By default it could not control the app's own address, which has no slash at its end. */
const SERVICE_WORKER = 'sw.js'

/** Sends a file of the app, or its document. Every path without a dot is a page that the document shows. */
export async function sendPage(request: FastifyRequest, reply: FastifyReply, app: PageApp): Promise<FastifyReply> {
  const requested = pathOf(request.originalUrl)
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
  return new ServiceError('service_unavailable', 'The pages are not built: run npm run build', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}

async function sendFile(request: FastifyRequest, reply: FastifyReply, app: PageApp, name: string): Promise<FastifyReply> {
  // Documents are sent only by `sendDocument`, with their headers, and compressed files only in place of the original.
  if (/\.(html|br|gz)$/i.test(name)) throw noFile(request, app)
  const { findBuiltFile } = await import('./find-built-file.ts')
  const file = await findBuiltFile(request, app, name)
  if (file === undefined) throw noFile(request, app)
  const isHashed = name.startsWith('assets/')
  reply
    .code(file.statusCode)
    .headers(file.headers)
    .headers({ 'cache-control': isHashed ? FOREVER : REVALIDATED, vary: 'Accept-Encoding' })
  if (file.statusCode === 200) reply.header('content-type', file.contentType)
  if (name === SERVICE_WORKER) reply.header('service-worker-allowed', `/${app}`)
  if (file.encoding !== undefined) reply.header('content-encoding', file.encoding)
  return await reply.send(file.stream)
}

function noFile(request: FastifyRequest, app: PageApp): ServiceError {
  if (!isBuilt(app)) return notBuilt()
  return new ServiceError('not_found', `No route ${request.method} ${pathOf(request.originalUrl)}`)
}
