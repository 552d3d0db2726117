import { ownRecord } from './own-record.ts'
import { DAY_MS, dayText, type HistoryRecords, iso, type ReturnRecord } from './records.ts'
import type { RowWriter } from './row-writer.ts'

interface Ids {
  orders: readonly number[]
  products: readonly number[]
  movements: readonly number[]
  warehouses: readonly number[]
  operators: readonly number[]
}

/** Returns with their lines and receipts. */
export async function insertReturns(writer: RowWriter, { returns, orders }: HistoryRecords, ids: Ids): Promise<void> {
  const records = await writer.takeIds('returns', returns.length)
  await writer.insert(
    'returns',
    returns.map((record, index) => ({
      id: records[index],
      warehouse_id: ids.warehouses[orders[record.order]?.warehouse ?? 0],
      order_id: ids.orders[record.order],
      order_tenant_id: orders[record.order]?.name,
      reason: record.reason,
      expected_at: dayText(record.expectedDay * DAY_MS),
      allow_over: false,
      ...stateOf(record),
    })),
  )
  const lines = returns.flatMap((record, index) => record.lines.map((line) => ({ ...line, record_id: records[index] })))
  const lineIds = await writer.takeIds('return_lines', lines.length)
  await writer.insert(
    'return_lines',
    lines.map(({ record_id, product, quantity, received }, index) => ({
      record_id,
      id: lineIds[index],
      product_id: ids.products[product],
      quantity,
      received: received === undefined ? 0 : quantity,
      restocked: received?.disposition === 'restock' ? quantity : 0,
      quarantined: received?.disposition === 'quarantine' ? quantity : 0,
      scrapped: received?.disposition === 'scrap' ? quantity : 0,
    })),
  )
  const receipts = lines.flatMap(({ record_id, product, quantity, received }, index) => {
    if (received === undefined) return []
    const { at, disposition, location, operator, movement } = received
    const product_id = ids.products[product]
    return {
      record_id,
      id: `demo-${lineIds[index]}`,
      product_id,
      location_id: location,
      quantity,
      sent_name: `product_id ${product_id}`,
      operator_id: ids.operators[operator],
      disposition,
      lines: [{ line_id: lineIds[index], quantity }],
      movement_id: movement === undefined ? null : ids.movements[movement],
      created_at: iso(at),
    }
  })
  await writer.insert('return_receipts', receipts)
}

function stateOf({ name, createdAt, closedAt, lines }: ReturnRecord): object {
  const received = lines.filter((line) => line.received !== undefined)
  const sum = (some: typeof lines): number => some.reduce((total, { quantity }) => total + quantity, 0)
  return {
    ...ownRecord(name, createdAt),
    state: closedAt === undefined ? (received.length > 0 ? 'receiving' : 'expected') : 'closed',
    total_quantity: sum(lines),
    total_received: sum(received),
    line_count: lines.length,
    revision: received.length,
    updated_at: iso(Math.max(createdAt, closedAt ?? 0, ...received.map((line) => line.received?.at ?? 0))),
    closed_at: closedAt === undefined ? null : iso(closedAt),
  }
}
