import path from 'node:path'
import { isUtf8MimeType, mime, send } from '@fastify/send'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyRequest } from 'fastify'
import { BUILT_PAGES } from './built-pages.ts'
import type { PageApp } from './page-request.ts'

/** Suffixes of the compressed files that the build writes beside each file. */
const SUFFIXES: Record<string, string> = { br: '.br', gzip: '.gz' }

/** A built file, or its compressed form, in answer to a request; undefined if there is none. Loaded on demand. */
export async function findBuiltFile({ raw, headers }: FastifyRequest, app: PageApp, name: string) {
  const options = {
    root: path.join(BUILT_PAGES, app),
    index: false,
    cacheControl: false,
    acceptRanges: false,
    dotfiles: 'ignore',
  } as const
  const encoding = negotiate(headers['accept-encoding'] ?? '', Object.keys(SUFFIXES)) ?? 'identity'
  const suffix = SUFFIXES[encoding]
  const compressed = suffix === undefined ? undefined : await send(raw, `/${name}${suffix}`, options)
  if (compressed?.type === 'file') return { ...compressed, contentType: typeOf(name), encoding }
  const file = await send(raw, `/${name}`, options)
  return file.type === 'file' ? { ...file, contentType: typeOf(name), encoding: undefined } : undefined
}

function typeOf(name: string): string {
  // RFC 9239 made `application/javascript` obsolete.
  const type = name.endsWith('.js') ? 'text/javascript' : (mime.getType(name) ?? 'application/octet-stream')
  return isUtf8MimeType(type) ? `${type}; charset=utf-8` : type
}
