import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../database/database.ts'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Position } from './cursor.ts'
import { entriesOf, type Lists, type TimelineEntry } from './entries-of.ts'
import { inOrder } from './in-order.ts'
import { type Kind, rankOf } from './kinds.ts'
import { type ListPosition, positionIn } from './position-in.ts'
import { SEPARATOR } from './rows.ts'
import { CREATED, HAS_RECORDS, LONG, type LongKind, longList, NAMES, ORDER, RECORDS, STATES } from './timeline-sources.ts'

const LONG_KINDS = Object.keys(LONG) as LongKind[]

/** The lists to read for these kinds. That of events has the reservations, too: see `mayLackReservation`. */
const listsOf = (kinds: readonly Kind[]): LongKind[] =>
  LONG_KINDS.filter((kind) => kinds.includes(kind) && !(kind === 'reservation' && kinds.includes('event')))

/** A page to read. */
interface PageCall {
  tenantId: number
  orderId: number
  limit: number
  /** Where each long list begins; none for a first page. */
  positions: readonly ListPosition[]
}

/** `has_records`: whether the order has shipments or returns, in a statement that does not read them. */
type Row = { call: number; has_records?: boolean } & Lists
type Values = [
  tenantId: number | undefined,
  separator: string,
  calls: number[],
  orderIds: number[],
  limits: number[],
  ...positions: (number[] | string[])[],
]
type Page = BatchedStatement<PageCall, Row>

/** A statement is for these long lists, and for first pages or those after a position. */
interface Choice {
  kinds: readonly LongKind[]
  isFirst: boolean
}

const selectOf = ({ kinds, isFirst }: Choice, withRecords: boolean, pages: string): string => {
  const lists = kinds.map((kind) => longList(kind, isFirst))
  const records = withRecords ? `shipment.list as shipments, return_record.list as returns` : `${HAS_RECORDS} as has_records`
  return `select q.call, ${[`${CREATED} as created, ${STATES} as states, flow.list as flows`, records, ...lists.map(({ columns }) => columns)].join(', ')}
   from ${[pages, ORDER, withRecords ? RECORDS : NAMES, ...lists.flatMap(({ from }) => from ?? [])].join(' ')}`
}

const nameOf = ({ kinds, isFirst }: Choice, variant: string[]): string =>
  ['read_timeline', ...(isFirst ? [] : ['on']), ...variant, ...kinds].join('_')

/**
 * Reads pages of several orders together: a third of what a page costs is what Postgres prepares for each execution. What is not asked for is
 * not in the statement: each table that a plan names costs time, also where nothing is read.
 */
function readPages(choice: Choice, withRecords: boolean): Pick<Page, 'statement' | 'valuesOf'> {
  const placed = choice.isFirst ? [] : choice.kinds
  const arrays = placed.map((kind, index) => `, $${6 + 2 * index}::timestamptz[], $${7 + 2 * index}::${LONG[kind]}[]`)
  const names = placed.map((kind) => `, ${kind}_at, ${kind}_id`)
  const pages = `unnest($3::int[], $4::bigint[], $5::bigint[]${arrays.join('')}) q (call, order_id, most${names.join('')})`
  return {
    statement: statement<Values, Row>({
      name: nameOf(choice, withRecords ? ['records'] : []),
      connection: 'read',
      sql: selectOf(choice, withRecords, pages),
    }),
    valuesOf: (calls): Values => [
      calls[0]?.tenantId,
      SEPARATOR,
      calls.map((_, index) => index),
      calls.map(({ orderId }) => orderId),
      calls.map(({ limit }) => limit),
      ...placed.flatMap((_, index) => [
        calls.map(({ positions }) => positions[index]?.[0] as string),
        calls.map(({ positions }) => positions[index]?.[1] as string),
      ]),
    ],
  }
}

/** Reads the page of a call that is alone: with values instead of arrays, Postgres prepares a tenth less. */
function readPage(choice: Choice): Required<Page>['alone'] {
  const positions = (choice.isFirst ? [] : choice.kinds).map(
    (kind, index) => `, $${5 + 2 * index}::timestamptz as ${kind}_at, $${6 + 2 * index}::${LONG[kind]} as ${kind}_id`,
  )
  return {
    statement: statement<
      [tenantId: number, separator: string, orderId: number, limit: number, ...positions: (number | string)[]],
      Row
    >({
      name: nameOf(choice, ['alone']),
      connection: 'read',
      sql: selectOf(choice, false, `(select 0 as call, $3::bigint as order_id, $4::bigint as most${positions.join('')}) q`),
    }),
    isFor: () => true,
    valuesOf: ({ tenantId, orderId, limit, positions }) => [tenantId, SEPARATOR, orderId, limit, ...positions.flat()],
  }
}

const SHARED: Pick<Page, 'groupOf' | 'changedBy' | 'sizeOf'> = {
  groupOf: () => '',
  changedBy: () => [],
  // Few lists are as long as a page.
  sizeOf: ({ limit }) => Math.ceil(limit / 4),
}

/** Statements for orders without shipments and returns, or that do not matter, and for those with them. */
const pagesOf = (choice: Choice): Record<'plain' | 'withRecords', Page> => ({
  plain: { ...SHARED, ...readPages(choice, false), alone: readPage(choice) },
  withRecords: { ...SHARED, ...readPages(choice, true) },
})

const subsets = ([first, ...others]: readonly LongKind[]): LongKind[][] =>
  first === undefined ? [[]] : subsets(others).flatMap((set) => [set, [first, ...set]])

/** A numeric key: looking up text keys took longer than sorting the entries. */
const numberOf = ({ kinds, isFirst }: Choice): number =>
  kinds.reduce((sum, kind) => sum + 2 ** LONG_KINDS.indexOf(kind), isFirst ? 2 ** LONG_KINDS.length : 0)

const PAGES = new Map(
  subsets(LONG_KINDS)
    .filter((kinds) => listsOf(kinds).length === kinds.length)
    .flatMap((kinds) => [true, false].map((isFirst) => ({ kinds, isFirst })))
    .map((choice) => [numberOf(choice), pagesOf(choice)]),
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
  /** Number of the tenant's subscriptions, only where there are events: see `FEW_WEBHOOKS`. */
  webhooks: number
}

/** The entries of these kinds after a position, oldest first; undefined for an order that does not exist. */
export async function readTimeline(db: Queryable, tenantId: number, query: TimelineQuery): Promise<TimelinePart | undefined> {
  for (let most = query.limit; ; most += MORE_EVENTS) {
    const lists = await readLists(db, tenantId, query, most)
    if (lists === undefined) return undefined
    const entries = entriesFor(query, lists)
    if (!mayLackReservation(entries, query, most))
      return { entries: entries.slice(0, query.limit), webhooks: lists.webhooks ?? 0 }
  }
}

/** More events than share one millisecond. */
const MORE_EVENTS = 20

const RESERVATION = rankOf('reservation')
const EVENT = rankOf('event')

/**
 * Whether the page ends with an entry that comes after reservations, in the millisecond in which the list of events ends, and that list has the
 * reservations. One that is behind the end of the list would be on no page.
 */
function mayLackReservation(entries: readonly TimelineEntry[], { limit, kinds }: TimelineQuery, most: number): boolean {
  const last = entries[limit - 1]
  if (last === undefined || last.rank <= RESERVATION || !kinds.includes('reservation')) return false
  const events = entries.filter(({ rank }) => rank === EVENT)
  return events.length === most && events.at(-1)?.at === last.at
}

/** Reads at most this number of rows of each long list. */
async function readLists(
  db: Queryable,
  tenantId: number,
  { orderId, after, kinds }: TimelineQuery,
  most: number,
): Promise<Row | undefined> {
  const long = listsOf(kinds)
  const positions = after === undefined ? [] : long.map((kind) => positionIn(kind, after))
  const choice = { kinds: long, isFirst: after === undefined }
  const { plain, withRecords } = PAGES.get(numberOf(choice)) as ReturnType<typeof pagesOf>
  const call = { tenantId, orderId, limit: most, positions }
  const showsRecords = SHOWN_WITH_RECORDS.some((kind) => kinds.includes(kind))
  const [lists] = await db.runBatched(showsRecords && tenantsWithRecords.has(tenantId) ? withRecords : plain, call)
  if (!showsRecords || lists?.has_records !== true) return lists
  tenantsWithRecords.set(tenantId, true)
  return (await db.runBatched(withRecords, call))[0]
}

/** The entries of the lists that are asked for, in order. */
function entriesFor({ kinds, after }: TimelineQuery, lists: Lists): TimelineEntry[] {
  const ranks = new Set(kinds.map(rankOf))
  const entries = entriesOf(lists)
    .filter((entry) => ranks.has(entry.rank) && (after === undefined || inOrder(entry, positionOf(after)) > 0))
    .toSorted(inOrder)
  return withoutRepeats(entries)
}

const positionOf = ({ at, rank, id }: Position) => ({ at: at.toISOString(), rank, id })

/** A call is read under each of its names. */
const withoutRepeats = (entries: readonly TimelineEntry[]): TimelineEntry[] =>
  entries.filter((entry, index) => entry.id !== entries[index - 1]?.id)
