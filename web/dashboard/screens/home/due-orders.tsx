import type { OrderDay } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { localToday } from '../../../shared/local-today.ts'
import { t } from '../../../shared/texts/texts.ts'
import { dayOf, DAY_MS } from '../../charts/time-steps.ts'
import { useRead } from '../../data/use-read.ts'
import { OrderState } from '../../kit/order-state.tsx'
import { Region } from '../../kit/region.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Panel } from './panel.tsx'

/** Days back from today in which an open order is looked for. */
const DAYS = 366
const OPEN = [1, 2, 3] as const

interface Due {
  state: (typeof OPEN)[number]
  today: number
  overdue: number
}

/** Open orders whose assembly date is today or has passed, by state; the numbers lead to them. */
export function DueOrders() {
  const today = localToday()
  const since = dayBefore(today, DAYS - 1)
  const query = useRead(['orders', 'due', today], (api, options) =>
    api.reports.orders({ by: 'assembly', since, until: today }, options),
  )
  return (
    <Panel title={t.home.dueToday}>
      <Region query={query} rows={3}>
        {({ days }) => {
          const rows = dueOf(days, today)
          return rows.length === 0 ? (
            <p>{t.home.nothingDue}</p>
          ) : (
            <Table caption={t.home.dueOrders} columns={columnsFor(today)} rows={rows} rowKey={({ state }) => state} />
          )
        }}
      </Region>
    </Panel>
  )
}

function dueOf(days: readonly OrderDay[], today: string): Due[] {
  const sum = (state: number, isCounted: (date: string) => boolean): number =>
    days
      .filter(({ date }) => isCounted(date))
      .reduce((total, { counts }) => total + (counts.find(({ state_id }) => state_id === state)?.count ?? 0), 0)
  return OPEN.map((state) => ({
    state,
    today: sum(state, (date) => date === today),
    overdue: sum(state, (date) => date < today),
  })).filter(({ today: now, overdue }) => now + overdue > 0)
}

/** The day so many days before one of the calendar. */
const dayBefore = (day: string, days: number): string => dayOf(new Date(Date.parse(day) - days * DAY_MS).toISOString())

function columnsFor(today: string): Column<Due>[] {
  const yesterday = dayBefore(today, 1)
  return [
    { id: 'state', header: t.home.state, cell: ({ state }) => <OrderState id={state} /> },
    {
      id: 'today',
      header: t.home.due,
      isNumber: true,
      cell: ({ state, today: due }) => (
        <Link to="/orders" search={{ state: [state], assembly_date: today }}>
          {formatNumber(due)}
        </Link>
      ),
    },
    {
      id: 'overdue',
      header: t.home.overdue,
      isNumber: true,
      cell: ({ state, overdue }) => (
        <Link to="/orders" search={{ state: [state], assembly_until: yesterday }}>
          {formatNumber(overdue)}
        </Link>
      ),
    },
  ]
}
