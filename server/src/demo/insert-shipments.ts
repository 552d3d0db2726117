import { ownRecord } from './own-record.ts'
import { type HistoryRecords, iso, type PackageRecord, type ShipmentRecord } from './records.ts'
import type { RowWriter } from './row-writer.ts'

interface Ids {
  orders: readonly number[]
  /** Of order lines, by order. */
  lines: readonly (readonly number[])[]
  products: readonly number[]
  warehouses: readonly number[]
}

/** Shipments with their packages and what is in them. */
export async function insertShipments(writer: RowWriter, { shipments, orders }: HistoryRecords, ids: Ids): Promise<void> {
  const records = await writer.takeIds('shipments', shipments.length)
  await writer.insert(
    'shipments',
    shipments.map((shipment, index) => ({
      id: records[index],
      order_id: ids.orders[shipment.order],
      order_tenant_id: orders[shipment.order]?.name,
      warehouse_id: ids.warehouses[orders[shipment.order]?.warehouse ?? 0],
      ...stateOf(shipment),
      ...sumsOf(shipment.packages),
    })),
  )
  const packages = shipments.flatMap(({ packages: boxes, order }, index) =>
    boxes.map((box, number) => ({ ...box, order, at: { record_id: records[index], package_number: number + 1 } })),
  )
  await writer.insert(
    'shipment_packages',
    packages.map(({ at: { record_id, package_number: number }, weight, carrier, trackingNumber: tracking_number }) => ({
      record_id,
      number,
      weight,
      carrier,
      tracking_number,
    })),
  )
  const lines = packages.flatMap(({ lines: packed, order, at }) => packed.map((line) => ({ ...line, order, at })))
  const lineIds = await writer.takeIds('shipment_lines', lines.length)
  await writer.insert(
    'shipment_lines',
    lines.map(({ at, order, line, quantity }, index) => ({
      ...at,
      id: lineIds[index],
      order_line_id: ids.lines[order]?.[line],
      product_id: ids.products[orders[order]?.lines[line]?.product ?? 0],
      quantity,
    })),
  )
}

function stateOf({ name, createdAt, shippedAt, deliveredAt }: ShipmentRecord): object {
  const state = deliveredAt === undefined ? (shippedAt === undefined ? 'open' : 'shipped') : 'delivered'
  return {
    ...ownRecord(name, createdAt),
    state,
    updated_at: iso(deliveredAt ?? shippedAt ?? createdAt),
    shipped_at: shippedAt === undefined ? null : iso(shippedAt),
    delivered_at: deliveredAt === undefined ? null : iso(deliveredAt),
  }
}

function sumsOf(packages: readonly PackageRecord[]): object {
  const lines = packages.flatMap((box) => box.lines)
  return { total_quantity: lines.reduce((sum, { quantity }) => sum + quantity, 0), line_count: lines.length }
}
