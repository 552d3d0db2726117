import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Caller } from '../../procedures/context.ts'
import { recordEvents } from '../events/index.ts'
import { warehouseNotFound } from '../locations/index.ts'
import {
  type Content,
  earlierRecord,
  findProducts,
  type FoundProduct,
  findReferenceIn,
  hashOf,
  type NamedLine,
  quantitiesOf,
  recordEventPosition,
  requireProducts,
  sentName,
} from '../records/index.ts'
import { further, type ReceivingKind } from './kind.ts'

type Value = string | number | null

/** A new record, as a call of its kind has sent it. */
export interface NewRecord<Line extends NamedLine> {
  reference?: string | null | undefined
  /** As sent. */
  warehouse_id?: number | null | undefined
  expected_at?: string | null | undefined
  note?: string | null | undefined
  allow_over?: boolean | null | undefined
  lines: readonly Line[]
  /** Values of the kind's `recordColumns`, by column. */
  own: Readonly<Record<string, Value>>
  /** Values of the kind's `lineColumns`, in their order. */
  ownOfLine: (line: Line) => readonly Value[]
  /** The warehouse if none is sent. */
  defaultWarehouseId: number
  /** What else the call sent, by which a repeat is told (see `Content`): as sent, and with ids of records in place of names. */
  sent: readonly unknown[]
  meant: readonly unknown[]
  /** A rule that the record must keep, looked at after a repeat is found. */
  check?: (lines: readonly { productId: number; quantity: number }[]) => Promise<void>
}

/**
 * The function that creates a record of a kind, in a transaction, or finds the one that an earlier call has made, with `find`. Returns its id.
 * Throws `idempotency_conflict` and `validation_error`.
 */
export function creatingOf(kind: ReceivingKind, find = findReferenceIn(kind.tables.records)) {
  const insert = insertStatement(kind)
  return async <Line extends NamedLine>(
    tx: Queryable,
    { tenantId, keyName }: Pick<Caller, 'tenantId' | 'keyName'>,
    input: NewRecord<Line>,
  ): Promise<number> => {
    const { reference = null, lines } = input
    const warehouseId = input.warehouse_id ?? input.defaultWarehouseId
    const found = await findProducts(tx, tenantId, lines)
    const content = contentOf(input, warehouseId, found)
    const earlier = await earlierRecord(tx, find, tenantId, reference, content)
    if (earlier !== undefined) return earlier
    const productIds = requireProducts(lines, found)
    const quantities = quantitiesOf(lines, found) as number[]
    await input.check?.(productIds.map((productId, index) => ({ productId, quantity: quantities[index] as number })))
    const [row] = await tx.run(insert, [
      tenantId,
      reference,
      content.sent,
      content.meant,
      warehouseId,
      input.expected_at ?? null,
      input.note ?? null,
      input.allow_over ?? false,
      keyName,
      productIds,
      quantities,
      ...ownValues(kind, input),
    ])
    if (row?.warehouse_exists !== true) throw warehouseNotFound()
    // A parallel call has made it: the insert has waited for its end.
    return row.id ?? ((await earlierRecord(tx, find, tenantId, reference, content)) as number)
  }
}

/** The values of the kind's own columns: one for each of its records, and a list for each of its lines. */
function ownValues<Line extends NamedLine>(
  { recordColumns, lineColumns }: ReceivingKind,
  { own, ownOfLine, lines }: NewRecord<Line>,
): (Value | Value[])[] {
  return [
    ...Object.keys(recordColumns).map((column) => own[column] ?? null),
    ...Object.keys(lineColumns).map((_, index) => lines.map((line) => ownOfLine(line)[index] ?? null)),
  ]
}

type CommonValues = [
  tenantId: number,
  reference: string | null,
  sent: Buffer,
  meant: Buffer,
  warehouseId: number,
  expectedAt: string | null,
  note: string | null,
  allowOver: boolean,
  createdBy: string,
  productIds: number[],
  quantities: number[],
]
type Values = [...CommonValues, ...own: (Value | Value[])[]]
const COMMON_PARAMETERS: CommonValues['length'] = 11

function insertStatement(kind: ReceivingKind) {
  const { records, lines } = kind.tables
  const firstOwn = COMMON_PARAMETERS + 1
  const ofRecord = Object.values(kind.recordColumns).map((type, index) => `$${firstOwn + index}::${type}`)
  const ofLine = Object.values(kind.lineColumns).map((type, index) => `$${firstOwn + ofRecord.length + index}::${type}[]`)
  const lineColumns = Object.keys(kind.lineColumns)
  return statement<Values, { warehouse_exists: boolean; id: number | null }>({
    name: `insert_${kind.name}`,
    connection: 'write',
    sql: `with announced as materialized (
     select * from unnest($10::bigint[], $11::numeric[]${further(ofLine)}) with ordinality l (product_id, quantity${further(lineColumns)}, position)
   ), new_record as (
     insert into ${records} (tenant_id, reference, sent_hash, content_hash, warehouse_id, expected_at, note, allow_over, created_by,
       total_quantity, line_count${further(Object.keys(kind.recordColumns))})
     select $1, $2, $3, $4, w.id, $6::date, $7, $8, $9, t.quantity, t.lines${further(ofRecord)}
     from warehouses w cross join (select sum(quantity) as quantity, count(*) as lines from announced) t
     where w.tenant_id = $1 and w.id = $5
     on conflict (tenant_id, reference) do nothing
     returning *
   ), new_line as (
     insert into ${lines} (tenant_id, record_id, product_id, quantity${further([...kind.copiedColumns, ...lineColumns])})
     select $1, r.id, l.product_id, l.quantity${further([...kind.copiedColumns.map((column) => `r.${column}`), ...lineColumns.map((column) => `l.${column}`)])}
     from new_record r cross join announced l
     order by l.position
   ), record_event as (
     select ${recordEventPosition(kind.name, 'r.id')} as position, '${kind.name}/updated' as topic, ${kind.updated('null')} as data from new_record r
   ), ${recordEvents('record_event')}
   select exists (select from warehouses where tenant_id = $1 and id = $5) as warehouse_exists, (select id from new_record) as id`,
  })
}

function contentOf<Line extends NamedLine>(input: NewRecord<Line>, warehouseId: number, found: readonly FoundProduct[]): Content {
  const fields = [input.expected_at ?? null, input.note ?? null, input.allow_over ?? false]
  const { lines, ownOfLine } = input
  const quantities = quantitiesOf(lines, found)
  return {
    sent: hashOf([
      input.warehouse_id ?? null,
      ...fields,
      input.sent,
      lines.map((line) => [sentName(line), line.quantity ?? null, ...ownOfLine(line)]),
    ]),
    meant: hashOf([
      warehouseId,
      ...fields,
      input.meant,
      lines.map((line, index) => [found[index]?.id, quantities[index], ...ownOfLine(line)]),
    ]),
  }
}
