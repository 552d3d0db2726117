import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { BYTE_ORDER_MARK, csvHeader, csvLines, type CsvRow } from '../../csv/csv-text.ts'
import type { Database } from '../../database/database.ts'
import { beingMoved } from '../../errors/being-moved.ts'
import { statement } from '../../database/statements/statement.ts'
import { recordEntry } from '../../domain/audit/index.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { requireScope } from '../../procedures/call-context.ts'
import type { ExportedList } from '../../procedures/exported-list.ts'
import { text } from '../../procedures/fields/fields.ts'
import { invalidInput } from '../../procedures/invalid-input.ts'
import type { Encryption } from '../../runtime/encryption/encryption.ts'
import { pauseAfter } from '../../runtime/event-loop/turns.ts'
import type { Shards } from '../../shards/shards.ts'
import { streamOf } from '../body/stream-of.ts'
import type { Guard } from '../guards.ts'
import { isOver, openTicket, sealTicket } from './export-ticket.ts'
import type { PageAuthentication } from './page-sessions.ts'

/** Services and settings that exports need. */
export interface ExportOptions {
  shards: Shards
  encryption: Encryption
  lists: readonly ExportedList[]
  authentication: PageAuthentication
  /** Counts a ticket against the session. */
  limit: Guard | undefined
}

const CSV = { delimiter: ',', raw: false }
/** Rows that are written in one piece: a few milliseconds. */
const ROWS_OF_PIECE = 500
const RETRY_AFTER_SECONDS = 5

const readClock = statement<[], { now_ms: number }>({
  name: 'clock_of_exports',
  connection: 'read',
  sql: 'select extract(epoch from clock_timestamp())::float8 * 1000 as now_ms',
})

const startInput = z.object({ resource: text(64), query: z.record(z.string(), z.unknown()).default({}) })

/**
 * Exports of lists as CSV. A page asks for a link, and the browser downloads it. The rows are read in batches, each when the client has
 * taken the one before, without a transaction. A process runs one export of a tenant at a time.
 */
export class Exports {
  readonly #options: ExportOptions
  readonly #running = new Set<number>()

  constructor(options: ExportOptions) {
    this.#options = options
  }

  /** Authenticates a request for a link and counts it, before its body is read. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { authentication, limit } = this.#options
    await authentication.authenticate(request, reply)
    await limit?.(request, reply)
  }

  /** Responds with a link for the session of an admitted request. */
  async start(request: FastifyRequest) {
    const { shards, encryption } = this.#options
    const { caller } = request
    const db = shards.of(caller.tenantId)
    const { resource, query } = inputOf(request.body)
    const list = this.#listOf(resource)
    requireScope(caller, list)
    // Checks the filters: it reads nothing yet.
    list.read(db, caller.tenantId, query)
    this.#requireNone(caller.tenantId)
    const { session } = caller
    if (session === undefined) throw new Error('A page has a session')
    const { tenantId, keyId, keyName } = caller
    const { ip: address, id: requestId } = request
    const actor = { tenantId, keyId, keyName, address, requestId, surface: session.surface, sessionId: session.id }
    await db
      .forTenant(tenantId)
      .transaction((tx) => recordEntry(tx, { ...actor, operation: 'exports.start', input: { resource, query } }))
    const ticket = { session: { id: session.id, tenantId: session.tenantId }, mode: caller.mode, resource, query }
    return { success: true, data: { url: `/dashboard/exports/${sealTicket(ticket, await clockOf(db), encryption)}` } }
  }

  /** Sends the file of a link to the session that asked for it. Session, key and scope are checked again. */
  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { shards, encryption, authentication } = this.#options
    const ticket = openTicket((request.params as { token: string }).token, encryption)
    if (ticket === undefined) throw noExport()
    const caller = await authentication.callerInMode(request, reply, ticket.mode)
    if (caller.session?.id !== ticket.session.id || caller.session.tenantId !== ticket.session.tenantId) throw noExport()
    const shard = shards.of(caller.tenantId)
    if (isOver(ticket, await clockOf(shard))) throw noExport()
    request.caller = caller
    const list = this.#listOf(ticket.resource)
    requireScope(caller, list)
    const day = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length)
    reply.headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${list.name}-${day}.csv"`,
    })
    if (request.method === 'HEAD') return await reply.send()
    this.#requireNone(caller.tenantId)
    // When the tenant was moved, its rows are deleted here. The client decides how long it reads: a key that is revoked meanwhile reads no more.
    const requireStill = async (): Promise<void> => {
      if (!shards.isIn(caller.tenantId, shard)) throw beingMoved()
      await authentication.requireStill(request, caller)
    }
    const batches = list.read(shard.forTenant(caller.tenantId), caller.tenantId, ticket.query)
    return await reply.send(await streamOf(reply, this.#pieces(list, caller.tenantId, batches, requireStill)))
  }

  /** The file in pieces. The export runs from the first one that is asked for. */
  async *#pieces(
    list: ExportedList,
    tenantId: number,
    batches: ReturnType<ExportedList['read']>,
    requireStill: () => Promise<void>,
  ): AsyncGenerator<string, undefined> {
    this.#running.add(tenantId)
    try {
      let start = BYTE_ORDER_MARK + csvHeader(list.columns, CSV)
      let beganAtMs = performance.now()
      for await (const rows of batches) {
        for (const piece of piecesOf(rows)) {
          await requireStill()
          const csv = start + csvLines(piece, list.columns, CSV)
          const tookMs = performance.now() - beganAtMs
          if (csv !== '') yield csv
          start = ''
          await pauseAfter(tookMs)
          beganAtMs = performance.now()
        }
      }
      await requireStill()
      if (start !== '') yield start
    } finally {
      this.#running.delete(tenantId)
    }
    return undefined
  }

  #listOf(resource: string): ExportedList {
    const list = this.#options.lists.find(({ name }) => name === resource)
    if (list !== undefined) return list
    const names = this.#options.lists.map(({ name }) => name)
    throw invalidField('resource', `must be one of ${names.join(', ')}`)
  }

  #requireNone(tenantId: number): void {
    if (!this.#running.has(tenantId)) return
    throw new ServiceError('service_unavailable', 'An export is running already. Wait until it is complete', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
}

/** The time of the database, in milliseconds. */
async function clockOf(db: Database): Promise<number> {
  return ((await db.runOne(readClock, [])) as { now_ms: number }).now_ms
}

function inputOf(body: unknown): z.infer<typeof startInput> {
  const { data, error } = startInput.safeParse(body)
  if (error !== undefined) throw invalidInput(error, { path: '/dashboard/exports' })
  return data
}

function* piecesOf(rows: readonly CsvRow[]): Generator<readonly CsvRow[]> {
  for (let first = 0; first < rows.length; first += ROWS_OF_PIECE) yield rows.slice(first, first + ROWS_OF_PIECE)
}

function noExport(): ServiceError {
  return new ServiceError('not_found', 'This link to an export has expired. Export the list again')
}
