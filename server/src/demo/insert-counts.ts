import { OPERATORS } from './people.ts'
import { assemblyDate, dayText, type FlowRecord, type HistoryRecords, hourText, MINUTE_MS } from './records.ts'
import type { RowWriter } from './row-writer.ts'

/** What the statements of the service would have counted. The counts of products are made by a trigger. */
export async function insertCounts(
  writer: RowWriter,
  { orders, movements, flows }: HistoryRecords,
  products: readonly number[],
  totals: readonly { warehouse_id: number | undefined; quantity: number }[],
): Promise<void> {
  const countedOrders = orders.map((order) => ({
    of: { created_day: dayText(order.createdAt), assembly_date: assemblyDate(order), state_id: order.state },
    sums: { change: 1 },
  }))
  const countedMovements = movements.map(({ at, product, location, type, previous, next }) => ({
    of: {
      created_day: dayText(at),
      created_hour: hourText(at),
      product_id: products[product],
      location_id: location,
      movement_type: type,
    },
    sums: { change: 1, quantity: next - previous },
  }))
  const stocked = totals.flatMap(({ warehouse_id, quantity }) =>
    quantity === 0 ? [] : [{ of: { warehouse_id }, sums: { change: 1 } }],
  )
  await writer.insert('order_count_changes', summed(countedOrders))
  await writer.insert('movement_count_changes', summed(countedMovements))
  await writer.insert('flow_count_changes', summed(flows.map(({ state }) => ({ of: { state }, sums: { change: 1 } }))))
  await writer.insert('pick_changes', summed(flows.flatMap((flow) => pickingOf(flow, walkOf(flow, flows)))))
  await writer.insert('stocked_count_changes', summed(stocked))
}

/** What the report of picking counts of a flow. Picks of a cancelled one were put back. */
function pickingOf({ state, operator, picks, startedAt, endedAt }: FlowRecord, walk: readonly FlowRecord[]): Counted[] {
  if (state === 'cancelled') return []
  const picked = walk.flatMap((flow) => flow.picks.map(({ at }) => at))
  const worked = (end: number): number => workedMs([startedAt, ...picked, end]) / walk.length / 1_000
  const of = (at: number): object => ({ at: hourText(at), operator_email: OPERATORS[operator]?.email })
  const none = { picks: 0, units: 0, flows: 0, seconds: 0 }
  const ended = state === 'completed' && endedAt !== undefined ? [endedAt] : []
  return [
    ...picks.map(({ at, quantity }) => ({ of: of(at), sums: { ...none, picks: 1, units: quantity } })),
    ...ended.map((at) => ({ of: of(at), sums: { ...none, flows: 1, seconds: worked(at) } })),
  ]
}

/** As in `countFlows` of the service: pauses are not work. */
const PAUSE_MS = 15 * MINUTE_MS
function workedMs(moments: readonly number[]): number {
  const steps = moments.toSorted((a, b) => a - b).map((at, index, sorted) => at - (sorted[index - 1] ?? at))
  return steps.filter((step) => step <= PAUSE_MS).reduce((sum, step) => sum + step, 0)
}

/** The flows of the same walk. They end together, and none is cancelled. */
function walkOf(flow: FlowRecord, flows: readonly FlowRecord[]): FlowRecord[] {
  return flow.batch === undefined ? [flow] : flows.filter(({ batch }) => batch === flow.batch)
}

/** Something that is counted, by what, and its part of the sums. */
interface Counted {
  of: object
  sums: Record<string, number>
}

/** A row for each different `of`, with the sums of all that have it. Quantities have three places. */
function summed(parts: readonly Counted[]): object[] {
  const rows = new Map<string, Counted>()
  for (const { of, sums } of parts) {
    const key = JSON.stringify(of)
    const row = rows.get(key) ?? { of, sums: {} }
    for (const [name, value] of Object.entries(sums)) row.sums[name] = (row.sums[name] ?? 0) + value
    rows.set(key, row)
  }
  const rounded = ([name, value]: [string, number]): [string, number] => [name, Math.round(value * 1_000) / 1_000]
  return [...rows.values()].map(({ of, sums }) => ({ ...of, ...Object.fromEntries(Object.entries(sums).map(rounded)) }))
}
