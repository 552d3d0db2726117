import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import type { ServiceResponse, TestTenant } from './service.ts'

/** A kind of records that announce goods and receive them. */
export interface Kind {
  name: 'inbound' | 'returns'
  path: string
  /** Code of the errors of its own. */
  error: string
  topic: string
  /** The field of the id in its event. */
  eventId: string
  /** The reason of its movements. */
  reason: string
  /** Fields of every receipt, besides the goods and the location. */
  receipt: object
  /** The record in the response to a receipt. */
  recordIn(data: Record<string, unknown>): Rec
}

// Tests read whatever fields they expect.
// oxlint-disable-next-line typescript/no-explicit-any
export type Rec = any

export const INBOUND: Kind = {
  name: 'inbound',
  path: '/inbound',
  error: 'inbound_error',
  topic: 'inbound/updated',
  eventId: 'inbound_id',
  reason: 'stock_receipt',
  receipt: {},
  recordIn: ({ inbound }) => inbound,
}

export const RETURNS: Kind = {
  name: 'returns',
  path: '/returns',
  error: 'return_error',
  topic: 'return/updated',
  eventId: 'return_id',
  reason: 'return',
  receipt: { disposition: 'restock' },
  recordIn: (data) => data.return,
}

/** All kinds. What holds for one holds for the others. */
export const KINDS: Kind[] = [INBOUND, RETURNS]

/** Announces goods and returns the record. */
export async function announce(kind: Kind, tenant: TestTenant, lines: object[], fields: object = {}): Promise<Rec> {
  const { status, body } = await tenant.request('POST', kind.path, { ...fields, lines })
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}

/** Sends a receipt. */
export const receive = (kind: Kind, tenant: TestTenant, record: { id: number }, body: object): Promise<ServiceResponse> =>
  tenant.request('POST', `${kind.path}/${record.id}/receipts`, { location_id: 'DOCK', ...kind.receipt, ...body })

/** Undoes a receipt. */
export const undo = (kind: Kind, tenant: TestTenant, record: { id: number }, receipt: string): Promise<ServiceResponse> =>
  tenant.request('DELETE', `${kind.path}/${record.id}/receipts/${encodeURIComponent(receipt)}`)

/** The record as it is now. */
export const read = async (kind: Kind, tenant: TestTenant, record: { id: number }): Promise<Rec> =>
  (await tenant.request('GET', `${kind.path}/${record.id}`)).body.data

/** Received quantities by line, in order. */
export const received = (record: { lines: { received_quantity: number }[] }): number[] =>
  record.lines.map(({ received_quantity: quantity }) => quantity)

/** Invariant: lines, totals and movements of a kind's records follow from its receipts. */
export async function expectConsistentReceiving(db: Database, tenant: TestTenant, kind: Kind): Promise<void> {
  const tables = {
    inbound: ['inbound', 'inbound_lines', 'inbound_receipts'],
    returns: ['returns', 'return_lines', 'return_receipts'],
  }[kind.name]
  const [records, lines, receipts] = tables.map((table) => sql.table(table))
  const { rows } = await sql`
    with record as (
      select * from ${records} where tenant_id = ${tenant.id}
    ), line as (
      select * from ${lines} where tenant_id = ${tenant.id}
    ), receipt as (
      select * from ${receipts} where tenant_id = ${tenant.id}
    ), part as (
      select r.record_id, x.line_id, sum(x.quantity) filter (where r.undone_at is null) as received
      from receipt r cross join jsonb_to_recordset(r.lines) x (line_id bigint, quantity numeric) group by 1, 2
    )
    select 'a line is not the sum of its receipts' as problem, to_json(l) as row
    from line l full join part p on p.record_id = l.record_id and p.line_id = l.id where l.id is null or l.received <> coalesce(p.received, 0)
    union all
    select 'a receipt is not the sum of its lines', to_json(r) from receipt r
    where quantity <> (select sum(x.quantity) from jsonb_to_recordset(r.lines) x (quantity numeric))
    union all
    select 'a record is not the sum of its lines', to_json(r) from record r
    where (total_quantity, total_received, line_count) <> (
      select sum(quantity), sum(received), count(*) from line l where l.record_id = r.id
    )
    union all
    select 'a receipt is not its movement', to_json(r)
    from receipt r left join stock_movements m on m.tenant_id = ${tenant.id} and m.id = r.movement_id
    where r.movement_id is not null
      and (m.movement_type, m.quantity, m.product_id, m.location_id, m.reason)
        is distinct from ('IN'::text, r.quantity, r.product_id, r.location_id, ${kind.reason}::text)
    union all
    select 'the movements of a kind are not its receipts', to_json(s) from (
      select (select coalesce(sum(quantity), 0) from receipt where undone_at is null and movement_id is not null) as received,
        (select coalesce(sum(new_quantity - previous_quantity), 0) from stock_movements where tenant_id = ${tenant.id} and reason = ${kind.reason}::text) as moved
    ) s where received <> moved and ${kind.name}::text = 'inbound'
    union all
    select 'a line without more than was announced has more', to_json(l) from line l join record r on r.id = l.record_id
    where l.received > l.quantity and not r.allow_over`.execute(db.kysely)
  expect(rows).toEqual([])
  if (kind.name === 'inbound') {
    const { rows: open } = await sql`
      select l.* from inbound_lines l join inbound r on r.tenant_id = l.tenant_id and r.id = l.record_id
      where l.tenant_id = ${tenant.id} and l.is_open <> (r.state in ('expected', 'receiving') and l.received < l.quantity)`.execute(
      db.kysely,
    )
    expect(open).toEqual([])
  }
}
