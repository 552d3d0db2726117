import type { IncomingMessage } from 'node:http'
import { decodableUrl } from '../decodable-url.ts'
import { pathOf } from '../url-path.ts'

export type PageApp = 'dashboard' | 'scan'

/** The target of a request below `/dashboard` or `/scan`. */
export interface PageRequest {
  app: PageApp
  /**
   * `document`: a document or a static file, which everyone may read. `download`: a file behind a link for one session. `data`: everything
   * else, which only pages of this server may request.
   */
  kind: 'document' | 'download' | 'data'
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Set for requests of the pages before they are routed. */
    page?: PageRequest
  }
}

const PAGE_PATH = /^\/(dashboard|scan)(?:\/([^/]*)|$)/
const DATA = new Set(['api', 'session', 'pulse', 'exports'])
const PASSAGE = /^\/(?:dashboard|scan)(?=\/api\/v1\/)/
const LETTER_D = 100
const LETTER_S = 115

/** The URL by which a request is routed. Marks requests of the pages, and maps calls below `/dashboard/api/v1/` and `/scan/api/v1/` to the routes of `/api/v1/`. */
export function markPageRequest(request: IncomingMessage): string {
  const url = request.url ?? '/'
  const letter = url.charCodeAt(1)
  // Most requests are API calls and end here.
  if (letter !== LETTER_D && letter !== LETTER_S) return decodableUrl(url)
  const [, app, segment] = PAGE_PATH.exec(pathOf(url)) ?? []
  if (app === undefined) return decodableUrl(url)
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  request.page = { app: app as PageApp, kind: isRead ? kindOfRead(`${app}/${segment ?? ''}`) : 'data' }
  return decodableUrl(url.replace(PASSAGE, ''))
}

/** Whether a path of the pages is that of a document or a static file. */
export function isDocumentPath(path: string): boolean {
  const [, app = '', segment = ''] = path.split('/')
  return kindOfRead(`${app}/${segment}`) === 'document'
}

function kindOfRead(path: string): PageRequest['kind'] {
  if (path === 'dashboard/exports') return 'download'
  return DATA.has(path.slice(path.indexOf('/') + 1)) ? 'data' : 'document'
}
