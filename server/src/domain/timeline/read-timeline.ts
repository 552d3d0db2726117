import type { Queryable } from '../../database/database.ts'
import { statement, type Statement } from '../../database/statements/statement.ts'
import type { Position } from './cursor.ts'
import { entriesOf, inOrder, type ReadEntry, type SourceRow } from './entries-of.ts'
import { type Kind, rankOf } from './kinds.ts'
import { positionIn } from './position-in.ts'
import { LONG, RECORDS, SHORT } from './timeline-sources.ts'

type LongKind = keyof typeof LONG
/** The limit and the positions only where a long list is read. */
type Values = [tenantId: number, orderId: number, ...limitAndPositions: (number | string)[]]
type Page = Statement<Values, SourceRow>

const LONG_KINDS = Object.keys(LONG) as LongKind[]

/**
 * The lists to read for these kinds. That of events has the reservations, too, and none of them is missed: reservations come before the other
 * events of their millisecond, so what is left of the events after a position includes what is left of the reservations.
 */
const listsOf = (kinds: readonly Kind[]): LongKind[] =>
  LONG_KINDS.filter((kind) => kinds.includes(kind) && !(kind === 'reservation' && kinds.includes('event')))

/** What is not asked for is not in the statement: each table that a plan names costs time, also where nothing is read. */
function readPage(kinds: readonly LongKind[]): Page {
  const long = kinds.map((kind, index) => LONG[kind](`$${4 + 2 * index}`, `$${5 + 2 * index}`))
  return statement<Values, SourceRow>({
    name: ['read_timeline', ...kinds].join('_'),
    lane: 'read',
    sql: `with ${RECORDS} ${[...SHORT, ...long].map((source) => `(${source})`).join(' union all ')}`,
  })
}

const subsets = ([first, ...others]: readonly LongKind[]): LongKind[][] =>
  first === undefined ? [[]] : subsets(others).flatMap((set) => [set, [first, ...set]])

const PAGES = new Map(
  subsets(LONG_KINDS)
    .filter((kinds) => listsOf(kinds).length === kinds.length)
    .map((kinds) => [kinds.join(), readPage(kinds)]),
)

export interface TimelineQuery {
  orderId: number
  after: Position | undefined
  limit: number
  kinds: readonly Kind[]
}

/** A part of a timeline. */
export interface TimelinePart {
  entries: ReadEntry[]
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
  const positions = long.length === 0 ? [] : [limit, ...long.flatMap((kind) => positionIn(kind, after))]
  const rows = await db.run(PAGES.get(long.join()) as Page, [tenantId, orderId, ...positions])
  // Of every order, at least its creation is read.
  if (rows.length === 0) return undefined
  const ranks = new Set(kinds.map(rankOf))
  const entries = rows
    .flatMap((row) => entriesOf(row, orderId))
    .filter((entry) => ranks.has(entry.rank) && (after === undefined || inOrder(entry, afterEntry(after)) > 0))
    .toSorted(inOrder)
    .slice(0, limit)
  return { entries, hasWebhooks: rows.some(({ rank, values }) => rank === rankOf('event') && values[3] === true) }
}

const afterEntry = ({ at, rank, id }: Position): ReadEntry => ({ at: at.toISOString(), rank, id }) as ReadEntry
