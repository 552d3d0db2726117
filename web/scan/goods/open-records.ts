import type { Count, FulfillmentClient, InboundDelivery, Return } from '@fulfillment/sdk'
import type { RecordKind } from '../queue/entry.ts'
import type { KnownRecord } from './record.ts'

/** A record as a list shows it. */
export type Listed =
  | { kind: 'inbound'; record: Omit<InboundDelivery, 'lines'> }
  | { kind: 'return'; record: Omit<Return, 'lines'> }
  | { kind: 'count'; record: Omit<Count, 'lines'> }

/** Open records of a kind, and whether there are more. */
export interface OpenRecords {
  listed: Listed[]
  hasMore: boolean
}

const STATES = ['receiving', 'expected'] as const

/** Reads the records that can be received or counted, at most `limit` of each state. */
export async function readOpen(client: FulfillmentClient, kind: RecordKind, limit: number): Promise<OpenRecords> {
  if (kind === 'count') {
    const { counts, pagination } = await client.counts.list({ state: 'counting', limit })
    return { listed: counts.map((record) => ({ kind, record })), hasMore: pagination.total > counts.length }
  }
  const pages = await Promise.all(STATES.map((state) => pageOf(client, kind, { state, limit })))
  return { listed: pages.flatMap(({ listed }) => listed), hasMore: pages.some(({ hasMore }) => hasMore) }
}

/** The record with this reference, in any state. */
export async function findByReference(
  client: FulfillmentClient,
  kind: RecordKind,
  reference: string,
): Promise<Listed | undefined> {
  if (kind !== 'count') return (await pageOf(client, kind, { reference })).listed[0]
  const [record] = (await client.counts.list({ reference })).counts
  return record === undefined ? undefined : { kind, record }
}

interface Filters {
  state?: (typeof STATES)[number]
  reference?: string
  limit?: number
}

async function pageOf(client: FulfillmentClient, kind: 'inbound' | 'return', filters: Filters): Promise<OpenRecords> {
  if (kind === 'inbound') {
    const { inbound, pagination } = await client.inbound.list(filters)
    return { listed: inbound.map((record) => ({ kind, record })), hasMore: pagination.total > inbound.length }
  }
  const { returns, pagination } = await client.returns.list(filters)
  return { listed: returns.map((record) => ({ kind, record })), hasMore: pagination.total > returns.length }
}

/** Records in the order in which they are worked on: begun ones, then by the date on which they are expected; complete ones last. */
export function inOrder(listed: readonly (Listed | KnownRecord)[]): (Listed | KnownRecord)[] {
  const rankOf = (one: Listed | KnownRecord): string => {
    if (one.kind === 'count') return ''
    const { state, expected_at, total_quantity, total_received } = one.record
    const isComplete = total_received >= total_quantity
    return `${isComplete ? 2 : state === 'receiving' ? 0 : 1} ${expected_at ?? '9999'}`
  }
  return listed.toSorted((one, other) => (rankOf(one) < rankOf(other) ? -1 : rankOf(one) > rankOf(other) ? 1 : 0))
}
