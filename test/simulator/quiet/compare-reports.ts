import type { Data } from '../operation.ts'
import type { World } from '../world.ts'
import { sameRows } from './same-rows.ts'
import type { Snapshot } from './snapshot.ts'

const DAY_MS = 86_400_000
/** All days on which clients have their orders assembled. */
const ASSEMBLED = 'since=2030-01-01&until=2030-01-31'

/** Reports say of the tenant what its lists say. */
export async function compareReports(world: World, { orders, flows }: Snapshot): Promise<string | undefined> {
  const today = (await world.read(`/reports/orders?by=created&since=${dayBeforeYesterday()}`)).days
  const { days } = await world.read(`/reports/orders?by=assembly&${ASSEMBLED}`)
  const { rows } = await world.read(`/reports/picking?by=operator&since=${dayBeforeYesterday()}`)
  const kept = flows.filter(({ state }) => state !== 'cancelled')
  return (
    sameRows(
      'orders in reports, by state',
      countsOf(orders.map(({ state_id }) => [state_id])),
      countsOf(states(today).map(([, state]) => [state])),
    ) ??
    sameRows(
      'orders in reports, by day and state',
      countsOf(orders.map(({ assembly_date, state_id }) => [assembly_date, state_id])),
      countsOf(states(days)),
    ) ??
    sameRows(
      'units and completed flows in reports',
      [[sum(kept, 'total_quantity_picked'), flows.filter(({ state }) => state === 'completed').length]],
      [[sum(rows, 'units'), sum(rows, 'flows')]],
    )
  )
}

const dayBeforeYesterday = (): string => new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10)

const sum = (rows: readonly Data[], field: string): number => rows.reduce((total, row) => total + row[field], 0)

/** A row for each order of a report. */
const states = (days: readonly Data[]): unknown[][] =>
  days.flatMap(({ date, counts }) =>
    counts.flatMap(({ state_id, count }: Data) => Array.from({ length: count }, () => [date, state_id])),
  )

/** How often each row is there. */
function countsOf(rows: readonly unknown[][]): unknown[][] {
  return [...Map.groupBy(rows, (row) => JSON.stringify(row))].map(([row, same]) => [row, same.length])
}
