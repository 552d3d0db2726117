import { type RecordRow, recordKey, withLine } from '../goods/record.ts'
import type { Changes, Kept } from '../store/store.ts'
import type { Attempt } from './attempt.ts'
import type { RecordEntry } from './entry.ts'

/** So many receipts of a record can be undone after the server has them. */
const MAX_SENT = 100

/** What an attempt to send an entry changes in its record on the device. */
export function recordChanges({ records }: Kept, entry: RecordEntry, result: Attempt): Pick<Changes, 'records'> {
  const key = recordKey(entry.record)
  const row = records.get(key)
  if (row === undefined) return {}
  const news = 'news' in result ? result.news : undefined
  const isDone = result.is === 'done'
  return { records: new Map([[key, { ...row, known: knownAfter(row, news), sent: isDone ? sentAfter(row, entry) : row.sent }]]) }
}

function knownAfter({ known }: RecordRow, news: Extract<Attempt, { news?: unknown }>['news']): RecordRow['known'] {
  if (news?.is === 'record') return news.known
  return news?.is === 'line' && known.kind === 'count' ? withLine(known, news.line) : known
}

function sentAfter({ sent }: RecordRow, { kind, pick_id, operator_id, body, about }: RecordEntry): RecordRow['sent'] {
  const others = sent.filter(({ receipt_id }) => receipt_id !== pick_id)
  if (kind !== 'receipt') return others
  const { product_name, location_code } = about
  return [...others, { receipt_id: pick_id, operator_id, body, product_name, location_code }].slice(-MAX_SENT)
}
