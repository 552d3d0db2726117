import { type CountRecord, DAY_MS, dayText, type DeliveryRecord, iso } from './records.ts'
import { ownRecord } from './own-record.ts'
import type { RowWriter } from './row-writer.ts'

/** Ids of what deliveries and counts name: products by their position, movements by their index. */
interface Ids {
  products: readonly number[]
  movements: readonly number[]
  /** Of the first warehouse. */
  warehouse: number | undefined
}

const SUPPLIER = 'Demo Wholesale'

/** Announced deliveries with their lines. */
export async function insertDeliveries(writer: RowWriter, deliveries: readonly DeliveryRecord[], ids: Ids): Promise<void> {
  const records = await writer.takeIds('inbound', deliveries.length)
  const { products, warehouse: warehouse_id } = ids
  await writer.insert(
    'inbound',
    deliveries.map(({ name, createdAt, expectedDay, lines }, index) => ({
      id: records[index],
      warehouse_id,
      state: 'expected',
      expected_at: dayText(expectedDay * DAY_MS),
      supplier: SUPPLIER,
      allow_over: false,
      total_quantity: lines.reduce((sum, { quantity }) => sum + quantity, 0),
      total_received: 0,
      line_count: lines.length,
      revision: 0,
      ...ownRecord(name, createdAt),
    })),
  )
  const lines = deliveries.flatMap((delivery, index) => delivery.lines.map((line) => ({ ...line, record_id: records[index] })))
  const lineIds = await writer.takeIds('inbound_lines', lines.length)
  await writer.insert(
    'inbound_lines',
    lines.map(({ record_id, product, quantity }, index) => ({
      record_id,
      id: lineIds[index],
      product_id: products[product],
      warehouse_id,
      quantity,
      received: 0,
      is_open: true,
    })),
  )
}

/** Counts with their lines and entries. */
export async function insertStockCounts(writer: RowWriter, counts: readonly CountRecord[], ids: Ids): Promise<void> {
  const records = await writer.takeIds('stock_counts', counts.length)
  await writer.insert(
    'stock_counts',
    counts.map((count, index) => countRow(count, records[index], ids)),
  )
  const lines = counts.flatMap((count, index) => count.lines.map((line) => ({ ...line, count, record_id: records[index] })))
  const lineIds = await writer.takeIds('stock_count_lines', lines.length)
  const rows = lines.map(({ count, record_id, product, location: location_id, counted, movement }, index) => ({
    record_id,
    id: lineIds[index],
    product_id: ids.products[product],
    location_id,
    counted: counted?.quantity ?? null,
    expected: counted?.expected ?? null,
    counted_at: counted === undefined ? null : iso(counted.at),
    counted_before: counted === undefined ? null : (ids.movements[count.movementsBefore - 1] ?? 0),
    movement_id: movement === undefined ? null : ids.movements[movement],
  }))
  await writer.insert('stock_count_lines', rows)
  await writer.insert(
    'stock_count_entries',
    rows
      .filter(({ counted }) => counted !== null)
      .map(({ record_id, id, product_id, location_id, counted, expected, counted_at }) => ({
        record_id,
        id: `demo-${id}`,
        line_id: id,
        product_id,
        location_id,
        counted,
        expected,
        sent_name: `product_id ${product_id}`,
        created_at: counted_at,
      })),
  )
}

function countRow(
  { name, createdAt, approvedAt, locations, products, lines }: CountRecord,
  id: number | undefined,
  ids: Ids,
): object {
  const counted = lines.flatMap((line) => line.counted ?? [])
  const updatedAt = Math.max(approvedAt ?? createdAt, ...counted.map(({ at }) => at))
  return {
    id,
    warehouse_id: ids.warehouse,
    state: approvedAt === undefined ? 'counting' : 'approved',
    blind: false,
    location_ids: locations,
    product_ids: products?.map((product) => ids.products[product]) ?? null,
    lines_total: lines.length,
    lines_counted: counted.length,
    lines_different: counted.filter(({ quantity, expected }) => quantity !== expected).length,
    revision: counted.length,
    ...ownRecord(name, createdAt),
    updated_at: iso(updatedAt),
    approved_at: approvedAt === undefined ? null : iso(approvedAt),
  }
}
