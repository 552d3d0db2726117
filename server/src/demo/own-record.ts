import { createHash } from 'node:crypto'
import { iso } from './records.ts'

/** Columns that every record with a reference has. No call has made it, so any call with its reference has other content. */
interface OwnRecord {
  reference: string
  sent_hash: string
  content_hash: string
  created_by: string
  created_at: string
  updated_at: string
}

/** These columns of a record that the demo makes. */
export function ownRecord(reference: string, at: number): OwnRecord {
  const hash = `\\x${createHash('sha256').update(reference).digest('hex')}`
  return {
    reference,
    sent_hash: hash,
    content_hash: hash,
    created_by: 'demo',
    created_at: iso(at),
    updated_at: iso(at),
  }
}
