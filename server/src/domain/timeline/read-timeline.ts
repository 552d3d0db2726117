import type { Queryable } from '../../database/database.ts'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Position } from './cursor.ts'
import { entriesOf, type Lists, type TimelineEntry } from './entries-of.ts'
import { inOrder } from './in-order.ts'
import { type Kind, rankOf } from './kinds.ts'
import { type ListPosition, positionIn } from './position-in.ts'
import { LONG, RECORDS, STATES } from './timeline-sources.ts'

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

type Row = { call: number } & Lists
type Values = [
  tenantId: number | undefined,
  calls: number[],
  orderIds: number[],
  limits: number[],
  ...positions: (number[] | string[])[],
]
type Page = BatchedStatement<PageCall, Row, Values>

/**
 * Reads pages of several orders together: a third of what a page costs is what Postgres prepares for each execution. What is not asked for is
 * not in the statement: each table that a plan names costs time, also where nothing is read.
 */
function readPages(kinds: readonly LongKind[]): Page {
  const lists = kinds.map((kind) => ({ kind, ...LONG[kind] }) as { kind: LongKind } & (typeof LONG)['movement'])
  const arrays = lists.map(({ id }, index) => `, $${5 + 2 * index}::timestamptz[], $${6 + 2 * index}::${id}[]`).join('')
  const names = lists.map(({ kind }) => `, ${kind}_at, ${kind}_id`).join('')
  return {
    statement: statement<Values, Row>({
      name: ['read_timeline', ...kinds].join('_'),
      lane: 'read',
      sql: `select q.call, o.*, ${STATES} as states, flow.list as flows, shipment.list as shipments, return_record.list as returns${lists
        .map(({ columns }) => `, ${columns}`)
        .join('')}
   from unnest($2::int[], $3::bigint[], $4::bigint[]${arrays}) q (call, order_id, most${names})
   ${RECORDS}${lists.map(({ from }) => (from === undefined ? '' : ` ${from}`)).join('')}`,
    }),
    valuesOf: (calls) => [
      calls[0]?.tenantId,
      calls.map((_, index) => index),
      calls.map(({ orderId }) => orderId),
      calls.map(({ limit }) => limit),
      ...kinds.flatMap((_, index) => [
        calls.map(({ positions }) => positions[index]?.[0] as string),
        calls.map(({ positions }) => positions[index]?.[1] as string),
      ]),
    ],
    groupOf: () => '',
    changedBy: () => [],
    // Few lists are as long as a page.
    sizeOf: ({ limit }) => Math.ceil(limit / 2),
  }
}

const subsets = ([first, ...others]: readonly LongKind[]): LongKind[][] =>
  first === undefined ? [[]] : subsets(others).flatMap((set) => [set, [first, ...set]])

const PAGES = new Map(
  subsets(LONG_KINDS)
    .filter((kinds) => listsOf(kinds).length === kinds.length)
    .map((kinds) => [kinds.join(), readPages(kinds)]),
)

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
  const [lists] = await db.runBatched(PAGES.get(long.join()) as Page, { tenantId, orderId, limit, positions })
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
