import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../database/database.ts'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Position } from './cursor.ts'
import { entriesOf, type Lists, type TimelineEntry } from './entries-of.ts'
import { inOrder } from './in-order.ts'
import { type Kind, rankOf } from './kinds.ts'
import { type ListPosition, positionIn } from './position-in.ts'
import { HAS_RECORDS, LONG, NAMES, ORDER, RECORDS, STATES } from './timeline-sources.ts'

type LongKind = keyof typeof LONG

const LONG_KINDS = Object.keys(LONG) as LongKind[]

/**
 * The lists to read for these kinds. That of events has the reservations, too, and none of them is missed: reservations come before the other
 * events of their millisecond, so what is left of the events after a position includes what is left of the reservations.
 */
const listsOf = (kinds: readonly Kind[]): LongKind[] =>
  LONG_KINDS.filter((kind) => kinds.includes(kind) && !(kind === 'reservation' && kinds.includes('event')))

/** A page to read. */
interface PageCall {
  tenantId: number
  orderId: number
  limit: number
  /** Where each long list begins. */
  positions: readonly ListPosition[]
}

/** `has_records`: whether the order has shipments or returns, in a statement that does not read them. */
type Row = { call: number; has_records?: boolean } & Lists
type Values = [
  tenantId: number | undefined,
  calls: number[],
  orderIds: number[],
  limits: number[],
  ...positions: (number[] | string[])[],
]
type Page = BatchedStatement<PageCall, Row>

const selectOf = (kinds: readonly LongKind[], withRecords: boolean, pages: string): string => {
  const lists = kinds.map((kind) => LONG[kind] as (typeof LONG)['movement'])
  const records = withRecords ? `shipment.list as shipments, return_record.list as returns` : `${HAS_RECORDS} as has_records`
  return `select q.call, o.id, o.order_tenant_id, o.warehouse_id, o.items_count, o.total_quantity, o.created_at, ${[`${STATES} as states, flow.list as flows`, records, ...lists.map(({ columns }) => columns)].join(', ')}
   from ${[pages, ORDER, withRecords ? RECORDS : NAMES, ...lists.flatMap(({ from }) => from ?? [])].join(' ')}`
}

const nameOf = (...parts: string[]): string => ['read_timeline', ...parts].join('_')

/**
 * Reads pages of several orders together: a third of what a page costs is what Postgres prepares for each execution. What is not asked for is
 * not in the statement: each table that a plan names costs time, also where nothing is read.
 */
function readPages(kinds: readonly LongKind[], withRecords: boolean): Pick<Page, 'statement' | 'valuesOf'> {
  const arrays = kinds.map((kind, index) => `, $${5 + 2 * index}::timestamptz[], $${6 + 2 * index}::${LONG[kind].id}[]`)
  const names = kinds.map((kind) => `, ${kind}_at, ${kind}_id`)
  const pages = `unnest($2::int[], $3::bigint[], $4::bigint[]${arrays.join('')}) q (call, order_id, most${names.join('')})`
  return {
    statement: statement<Values, Row>({
      name: nameOf(...(withRecords ? ['records'] : []), ...kinds),
      lane: 'read',
      sql: selectOf(kinds, withRecords, pages),
    }),
    valuesOf: (calls): Values => [
      calls[0]?.tenantId,
      calls.map((_, index) => index),
      calls.map(({ orderId }) => orderId),
      calls.map(({ limit }) => limit),
      ...kinds.flatMap((_, index) => [
        calls.map(({ positions }) => positions[index]?.[0] as string),
        calls.map(({ positions }) => positions[index]?.[1] as string),
      ]),
    ],
  }
}

/** Reads the page of a call that is alone: with values instead of arrays, Postgres prepares a tenth less. */
function readPage(kinds: readonly LongKind[]): Required<Page>['alone'] {
  const positions = kinds.map(
    (kind, index) => `, $${4 + 2 * index}::timestamptz as ${kind}_at, $${5 + 2 * index}::${LONG[kind].id} as ${kind}_id`,
  )
  return {
    statement: statement<[tenantId: number, orderId: number, limit: number, ...positions: (number | string)[]], Row>({
      name: nameOf('alone', ...kinds),
      lane: 'read',
      sql: selectOf(kinds, false, `(select 0 as call, $2::bigint as order_id, $3::bigint as most${positions.join('')}) q`),
    }),
    isFor: () => true,
    valuesOf: ({ tenantId, orderId, limit, positions }) => [tenantId, orderId, limit, ...positions.flat()],
  }
}

const SHARED: Pick<Page, 'groupOf' | 'changedBy' | 'sizeOf'> = {
  groupOf: () => '',
  changedBy: () => [],
  // Few lists are as long as a page.
  sizeOf: ({ limit }) => Math.ceil(limit / 4),
}

/** Statements for orders without shipments and returns, or that do not matter, and for those with them. */
const pagesOf = (kinds: readonly LongKind[]): Record<'plain' | 'withRecords', Page> => ({
  plain: { ...SHARED, ...readPages(kinds, false), alone: readPage(kinds) },
  withRecords: { ...SHARED, ...readPages(kinds, true) },
})

const subsets = ([first, ...others]: readonly LongKind[]): LongKind[][] =>
  first === undefined ? [[]] : subsets(others).flatMap((set) => [set, [first, ...set]])

const PAGES = new Map(
  subsets(LONG_KINDS)
    .filter((kinds) => listsOf(kinds).length === kinds.length)
    .map((kinds) => [kinds.join(), pagesOf(kinds)]),
)

/** Kinds of entries that shipments and returns matter for: their own, and calls that name them. */
const SHOWN_WITH_RECORDS: readonly Kind[] = ['call', 'shipment', 'return']

/** Tenants of which an order with shipments or returns was read in the last minute. Theirs are read with the statement for these at once. */
const tenantsWithRecords = new LRUCache<number, true>({ max: 10_000, ttl: 60_000 })

export interface TimelineQuery {
  orderId: number
  after: Position | undefined
  limit: number
  kinds: readonly Kind[]
}

/** A part of a timeline. */
export interface TimelinePart {
  entries: TimelineEntry[]
  /** Whether the tenant has subscriptions; only known where there are events. */
  hasWebhooks: boolean
}

/** The entries of these kinds after a position, oldest first; undefined for an order that does not exist. */
export async function readTimeline(
  db: Queryable,
  tenantId: number,
  { orderId, after, limit, kinds }: TimelineQuery,
): Promise<TimelinePart | undefined> {
  const long = listsOf(kinds)
  const positions = long.map((kind) => positionIn(kind, after))
  const { plain, withRecords } = PAGES.get(long.join()) as ReturnType<typeof pagesOf>
  const call = { tenantId, orderId, limit, positions }
  const showsRecords = SHOWN_WITH_RECORDS.some((kind) => kinds.includes(kind))
  let [lists] = await db.runBatched(showsRecords && tenantsWithRecords.has(tenantId) ? withRecords : plain, call)
  if (showsRecords && lists?.has_records === true) {
    tenantsWithRecords.set(tenantId, true)
    ;[lists] = await db.runBatched(withRecords, call)
  }
  if (lists === undefined) return undefined
  const ranks = new Set(kinds.map(rankOf))
  const entries = entriesOf(lists)
    .filter((entry) => ranks.has(entry.rank) && (after === undefined || inOrder(entry, positionOf(after)) > 0))
    .toSorted(inOrder)
  return { entries: withoutRepeats(entries).slice(0, limit), hasWebhooks: lists.has_webhooks === true }
}

const positionOf = ({ at, rank, id }: Position) => ({ at: at.toISOString(), rank, id })

/** A call is read under each of its names. */
const withoutRepeats = (entries: readonly TimelineEntry[]): TimelineEntry[] =>
  entries.filter((entry, index) => entry.id !== entries[index - 1]?.id)
