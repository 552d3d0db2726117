import type { FulfillmentClient } from '@fulfillment/sdk'
import type { KnownRecord } from '../goods/record.ts'
import { pageClient, sessionCall } from '../../shared/api.ts'
import type { Mode, PageFetchOptions } from '../../shared/page-fetch.ts'
import type { QueueCalls } from '../queue/attempt.ts'
import type { RecordRef } from '../queue/entry.ts'
import type { DeviceSession } from '../store/database.ts'
import { readServerTime } from './server-clock.ts'

/** What a new enrolment returns. */
export type Enrolled = DeviceSession & { device: { id: number; secret: string } }

interface ApiOptions {
  /** Mode of the session; test data are a tenant of their own. */
  mode: () => Mode
  /** The operator whom calls name, unless they name another one. */
  operatorId: () => number | undefined
  /** After each call: whether there was a response. */
  onReach: (isReached: boolean) => void
}

/** A value of the header that names the operator of a call. */
const asOperator = (id: number): { headers: Record<string, string> } => ({ headers: { 'X-Page-Operator': String(id) } })

/** An operator who leaves does not wait longer: without an answer, this device signs them out by itself. */
const SIGN_OUT_MS = 5_000

/** The calls of this device. They do not retry: the queue does, and everything else tells the operator at once. */
export class Api implements QueueCalls {
  readonly #options: ApiOptions
  readonly #clients = new Map<Mode, FulfillmentClient>()

  constructor(options: ApiOptions) {
    this.#options = options
  }

  get client(): FulfillmentClient {
    const mode = this.#options.mode()
    const client = this.#clients.get(mode) ?? pageClient(this.#fetchOptions())
    this.#clients.set(mode, client)
    return client
  }

  enrol = (input: { code: string; device_name?: string; devices: { id: number; secret: string }[] }): Promise<Enrolled> =>
    this.#session<Enrolled>('POST', '/session', { body: input })

  end = (): Promise<unknown> => sessionCall(this.#fetchOptions(), 'DELETE', '/session')

  readSession = (): Promise<DeviceSession> => this.#session('GET', '/session')

  signIn = (badge: string, options: { timeoutMs?: number } = {}): Promise<DeviceSession> =>
    this.#session('PUT', '/session/operator', { body: { badge }, ...options })

  signOut = (): Promise<DeviceSession> => this.#session('DELETE', '/session/operator', { timeoutMs: SIGN_OUT_MS })

  pick: QueueCalls['pick'] = async ({ flow_id, pick_id, body, operator_id }) =>
    await this.client.flows.pick(flow_id, { ...body, pick_id }, asOperator(operator_id))

  undo: QueueCalls['undo'] = async ({ flow_id, pick_id, operator_id }) =>
    await this.client.flows.undoPick(flow_id, pick_id, asOperator(operator_id))

  complete: QueueCalls['complete'] = async ({ flow_id, operator_id }) =>
    await this.client.flows.complete(flow_id, asOperator(operator_id))

  readFlow: QueueCalls['readFlow'] = async (id) => await this.client.flows.get(id)

  receive: QueueCalls['receive'] = async ({ record: { kind, id }, pick_id, body, operator_id }) => {
    const { disposition = 'restock', location_id, ...goods } = body
    const receipt = { ...goods, receipt_id: pick_id, operator_id }
    const options = asOperator(operator_id)
    if (kind === 'inbound') {
      const { inbound } = await this.client.inbound.receive(id, { ...receipt, location_id: location_id ?? '' }, options)
      return { kind, record: inbound }
    }
    const location = location_id === null ? {} : { location_id }
    const answer = await this.client.returns.receive(id, { ...receipt, ...location, disposition }, options)
    return { kind: 'return', record: answer.return }
  }

  undoReceipt: QueueCalls['undoReceipt'] = async ({ record: { kind, id }, pick_id, operator_id }) => {
    const options = asOperator(operator_id)
    if (kind === 'inbound') {
      const { inbound } = await this.client.inbound.undoReceipt(id, pick_id, { operator_id }, options)
      return { kind, record: inbound }
    }
    const answer = await this.client.returns.undoReceipt(id, pick_id, { operator_id }, options)
    return { kind: 'return', record: answer.return }
  }

  enterCount: QueueCalls['enterCount'] = async ({ record, pick_id, body, operator_id }) => {
    const input = { ...body, entry_id: pick_id, operator_id }
    const { line } = await this.client.counts.addEntry(record.id, input, asOperator(operator_id))
    return line
  }

  readRecord = async ({ kind, id }: RecordRef): Promise<KnownRecord> => {
    const { inbound, returns, counts } = this.client
    if (kind === 'inbound') return { kind, record: await inbound.get(id) }
    if (kind === 'return') return { kind, record: await returns.get(id) }
    return { kind, record: await counts.get(id) }
  }

  async #session<T extends DeviceSession>(
    method: string,
    path: string,
    options?: { body?: unknown; timeoutMs?: number },
  ): Promise<T> {
    const session = await sessionCall<T>(this.#fetchOptions(), method, path, options)
    readServerTime(session.server_time)
    return session
  }

  #fetchOptions(): PageFetchOptions {
    const { mode, operatorId, onReach } = this.#options
    const headers = (): Record<string, string> => {
      const id = operatorId()
      return id === undefined ? {} : asOperator(id).headers
    }
    return { app: 'scan', mode: mode(), headers, onCall: ({ status }) => onReach(status > 0) }
  }
}
