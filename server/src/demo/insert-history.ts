import type { Transaction } from '../database/database.ts'
import { caseBarcode, type DemoProduct } from './catalog.ts'
import { OPERATORS } from './people.ts'
import { type DemoLocation, SECOND_WAREHOUSE } from './places.ts'
import { insertCounts } from './insert-counts.ts'
import { insertDeliveries, insertStockCounts } from './insert-goods.ts'
import { insertReturns } from './insert-returns.ts'
import { insertShipments } from './insert-shipments.ts'
import { assemblyDate, type FlowRecord, type HistoryRecords, iso, type OrderRecord } from './records.ts'
import { ownRecord } from './own-record.ts'
import { RowWriter } from './row-writer.ts'
import { mostStateChanges, stateChangeRows } from './state-changes.ts'

/** The world of a demo. */
export interface DemoWorld {
  products: readonly DemoProduct[]
  locations: readonly DemoLocation[]
  history: HistoryRecords
  /** When products and locations came into being. */
  since: number
}

interface Ids {
  products: number[]
  orders: number[]
  /** By order. */
  lines: number[][]
  flows: number[]
  batches: number[]
  movements: number[]
  stateChanges: number[]
  warehouses: number[]
  operators: number[]
}

/**
 * Writes the world of a demo into the tables of a tenant, as the service would have: with the counts of lists, and without events. In one
 * transaction, so that an interrupted run leaves nothing.
 */
export async function insertHistory(tx: Transaction, tenantId: number, world: DemoWorld): Promise<void> {
  const writer = new RowWriter(tx, tenantId)
  const ids = await takeIds(writer, world)
  await writer.insert('warehouses', [{ id: ids.warehouses[1], name: SECOND_WAREHOUSE, created_at: iso(world.since) }])
  await writer.insert('operators', operatorRows(world, ids))
  await writer.insert('locations', locationRows(world, ids))
  await writer.insert('products', productRows(world, ids))
  await writer.insert('product_barcodes', caseRows(world, ids))
  await writer.insert('stock_levels', levelRows(world, ids))
  const totals = totalRows(world, ids)
  await writer.insert('warehouse_stock', totals)
  const sent = new Set(world.history.shipments.map(({ order }) => order))
  await writer.insert(
    'orders',
    world.history.orders.map((order, index) => ({
      ...orderRow(order, ids.orders[index], ids),
      has_shipments: sent.has(index) ? true : null,
    })),
  )
  await writer.insert(
    'order_lines',
    world.history.orders.flatMap((order, index) => lineRows(order, index, world, ids)),
  )
  await writer.insert('flow_batches', batchRows(world, ids))
  await writer.insert(
    'picking_flows',
    world.history.flows.map((flow, index) => flowRow(flow, ids.flows[index], ids)),
  )
  await writer.insert('order_state_changes', stateChangeRows(world.history, ids.orders, ids.stateChanges))
  await writer.insert('stock_movements', movementRows(world, ids))
  await writer.insert(
    'picks',
    world.history.flows.flatMap((flow, index) => pickRows(flow, index, world, ids)),
  )
  const goods = { products: ids.products, movements: ids.movements, warehouse: ids.warehouses[0] }
  await insertDeliveries(writer, world.history.deliveries, goods)
  await insertStockCounts(writer, world.history.counts, goods)
  await insertShipments(writer, world.history, ids)
  await insertReturns(writer, world.history, ids)
  await insertCounts(writer, world.history, ids.products, totals)
}

async function takeIds(writer: RowWriter, { products, history }: DemoWorld): Promise<Ids> {
  const lines = await writer.takeIds(
    'order_lines',
    history.orders.reduce((sum, order) => sum + order.lines.length, 0),
  )
  let next = 0
  return {
    products: await writer.takeIds('products', products.length),
    orders: await writer.takeIds('orders', history.orders.length),
    lines: history.orders.map((order) => lines.slice(next, (next += order.lines.length))),
    flows: await writer.takeIds('picking_flows', history.flows.length),
    batches: await writer.takeIds('flow_batches', history.batches.length),
    movements: await writer.takeIds('stock_movements', history.movements.length),
    stateChanges: await writer.takeIds('order_state_changes', mostStateChanges(history)),
    warehouses: [await writer.defaultWarehouse(), ...(await writer.takeIds('warehouses', 1))],
    operators: await writer.takeIds('operators', OPERATORS.length),
  }
}

function operatorRows({ since }: DemoWorld, { operators }: Ids): object[] {
  return OPERATORS.map(({ name, email }, index) => ({
    id: operators[index],
    name,
    email,
    may_change_stock: index === 0,
    is_active: true,
    created_at: iso(since),
  }))
}

function locationRows({ locations, since }: DemoWorld, { warehouses }: Ids): object[] {
  return locations.map(({ warehouse, ...location }) => ({
    ...location,
    code: location.id,
    warehouse_id: warehouses[warehouse],
    created_at: iso(since),
  }))
}

function productRows({ products, since }: DemoWorld, { products: ids }: Ids): object[] {
  return products.map(({ sku, ...product }, index) => ({
    ...product,
    id: ids[index],
    external_id: sku,
    sales_unit: 1,
    is_active: true,
    created_at: iso(since + index),
    updated_at: iso(since + index),
  }))
}

/** Every fifth product that is sold by the piece comes in cases, too. */
function caseRows({ products, since }: DemoWorld, { products: ids }: Ids): object[] {
  return products.flatMap((product, index) =>
    product.weighable || index % 5 > 0
      ? []
      : [
          {
            barcode: caseBarcode(product),
            product_id: ids[index],
            quantity: 12,
            name: 'case of 12',
            created_at: iso(since + index),
          },
        ],
  )
}

function levelRows({ history }: DemoWorld, { products, warehouses }: Ids): object[] {
  return history.levels.map(({ product, location, warehouse, quantity, previous, sellable, updatedAt }) => ({
    product_id: products[product],
    location_id: location,
    warehouse_id: warehouses[warehouse],
    quantity,
    previous_quantity: previous,
    updated_at: iso(updatedAt),
    sellable,
  }))
}

interface TotalRow {
  product_id: number | undefined
  warehouse_id: number | undefined
  quantity: number
  unsellable: number
}

function totalRows({ history }: DemoWorld, { products, warehouses }: Ids): TotalRow[] {
  const totals = new Map<string, TotalRow>()
  for (const { product, warehouse, quantity, sellable } of history.levels) {
    const key = `${product} ${warehouse}`
    const total = totals.get(key) ?? {
      product_id: products[product],
      warehouse_id: warehouses[warehouse],
      quantity: 0,
      unsellable: 0,
    }
    total.quantity += quantity
    if (!sellable) total.unsellable += quantity
    totals.set(key, total)
  }
  return [...totals.values()].map((total) => ({
    ...total,
    previous_quantity: total.quantity,
    reserved: 0,
    held: 0,
    backordered: 0,
  }))
}

function orderRow(order: OrderRecord, id: number | undefined, { warehouses }: Ids): object {
  return {
    id,
    order_tenant_id: order.name,
    state_id: order.state,
    state_picking_id: order.pickingState,
    assembly_date: assemblyDate(order),
    customer_name: order.customer,
    shipping_address: order.address,
    warehouse_id: warehouses[order.warehouse],
    items_count: order.lines.length,
    total_quantity: order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    created_at: iso(order.createdAt),
    updated_at: iso(order.updatedAt),
  }
}

function lineRows(order: OrderRecord, index: number, { products }: DemoWorld, ids: Ids): object[] {
  return order.lines.map(({ product, quantity, picked, pickedBefore }, line) => ({
    order_id: ids.orders[index],
    id: ids.lines[index]?.[line],
    product_id: ids.products[product],
    barcode: products[product]?.barcode,
    product_name: products[product]?.name,
    quantity,
    picked_quantity: picked,
    picked_before_flow: pickedBefore,
    pick_tolerance_percent: products[product]?.pick_tolerance_percent,
    price: products[product]?.price,
  }))
}

function batchRows({ history }: DemoWorld, { batches, warehouses, operators }: Ids): object[] {
  return history.batches.map(({ name, warehouse, operator, createdAt }, index) => {
    const { updated_at: _, ...record } = ownRecord(name, createdAt)
    return {
      id: batches[index],
      ...record,
      warehouse_id: warehouses[warehouse],
      operator_email: OPERATORS[operator]?.email,
      operator_id: operators[operator],
    }
  })
}

function flowRow(flow: FlowRecord, id: number | undefined, { orders, operators, batches }: Ids): object {
  const { state, endedAt, batch, slot } = flow
  return {
    id,
    order_id: orders[flow.order],
    state,
    operator_id: operators[flow.operator],
    operator_email: OPERATORS[flow.operator]?.email,
    items_to_pick: flow.itemsToPick,
    total_quantity: flow.quantityToPick,
    items_picked: new Set(flow.picks.map(({ line }) => line)).size,
    total_quantity_picked: flow.picks.reduce((sum, { quantity }) => sum + quantity, 0),
    started_at: iso(flow.startedAt),
    completed_at: state === 'completed' && endedAt !== undefined ? iso(endedAt) : null,
    cancelled_at: state === 'cancelled' && endedAt !== undefined ? iso(endedAt) : null,
    cancellation_reason: flow.reason ?? null,
    revision: flow.picks.length,
    batch_id: batch === undefined ? null : batches[batch],
    slot: slot ?? null,
  }
}

function movementRows({ history }: DemoWorld, ids: Ids): object[] {
  const picks = new Map(
    history.flows.flatMap((flow, index) =>
      flow.picks.flatMap(({ movement, putBack }, number) => {
        const pick = { flow_id: ids.flows[index], pick_id: pickId(number) }
        return [movement, ...(putBack === undefined ? [] : [putBack])].map((made) => [made, pick] as const)
      }),
    ),
  )
  return history.movements.map(({ at, product, location, type, quantity, previous, next, reason, operator, order }, index) => ({
    id: ids.movements[index],
    product_id: ids.products[product],
    location_id: location,
    movement_type: type,
    quantity,
    previous_quantity: previous,
    new_quantity: next,
    reason,
    user_id: operator === undefined ? null : ids.operators[operator],
    order_id: order === undefined ? null : ids.orders[order],
    created_at: iso(at),
    ...(picks.get(index) ?? { flow_id: null, pick_id: null }),
  }))
}

const pickId = (number: number): string => `demo-${number + 1}`

function pickRows(flow: FlowRecord, index: number, { history, products }: DemoWorld, ids: Ids): object[] {
  return flow.picks.map(({ at, line, location, quantity, pickedAfter, movement }, number) => {
    const { product, quantity: ordered } = history.orders[flow.order]?.lines[line] ?? { product: 0, quantity: 0 }
    const filled = {
      order_detail_id: ids.lines[flow.order]?.[line],
      product_id: ids.products[product],
      barcode: products[product]?.barcode,
      product_name: products[product]?.name,
      quantity: ordered,
      picked_quantity: pickedAfter,
      remaining: ordered - pickedAfter,
      taken: quantity,
      ...toleranceFields(ordered, pickedAfter, products[product]?.pick_tolerance_percent ?? 0),
    }
    return {
      flow_id: ids.flows[index],
      id: pickId(number),
      product_id: ids.products[product],
      location_id: location,
      quantity,
      order_line_id: filled.order_detail_id,
      lines: [filled],
      movement_id: ids.movements[movement],
      created_at: iso(at),
      operator_email: OPERATORS[flow.operator]?.email,
    }
  })
}

/** Further fields of a line with a tolerance, as a pick keeps them. */
function toleranceFields(ordered: number, picked: number, percent: number): object {
  const bound = (share: number): number => Math.round(ordered * share * 10) / 1_000
  const least = bound(100 - percent)
  return percent === 0 ? {} : { is_fulfilled: picked >= least, minimum_quantity: least, maximum_quantity: bound(100 + percent) }
}
