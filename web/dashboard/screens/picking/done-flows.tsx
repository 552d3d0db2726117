import type { PickingFlow } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Empty, Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { FlowLink } from './flow-cells.tsx'

const LIMIT = 100

/** The flows that were completed today, in UTC, the last first. */
export function DoneFlows() {
  const query = useRead(['flows', 'completed'], (api, options) => api.flows.list({ state: 'completed', limit: LIMIT }, options))
  return (
    <Section title={t.picking.done}>
      <Region query={query} rows={3}>
        {({ flows, pagination }) => {
          const done = doneToday(flows)
          // Flows are listed by their start: one that was not completed today stands before the first of today.
          const isAll = done.length < flows.length || pagination.total === flows.length
          return done.length === 0 ? (
            <Empty text={t.picking.nothingDone} />
          ) : (
            <>
              <Table caption={t.picking.done} columns={COLUMNS} rows={done} rowKey={({ id }) => id} />
              <p>{t.picking.flowsToday(done.length, isAll)}</p>
            </>
          )
        }}
      </Region>
    </Section>
  )
}

function doneToday(flows: readonly PickingFlow[]): PickingFlow[] {
  const midnight = new Date().toISOString().slice(0, 10)
  return flows
    .filter(({ completed_at }) => completed_at !== null && completed_at >= midnight)
    .toSorted((a, b) => (b.completed_at ?? '').localeCompare(a.completed_at ?? ''))
}

const COLUMNS: Column<PickingFlow>[] = [
  { id: 'order', header: t.picking.order, isWide: true, cell: (flow) => <FlowLink flow={flow} /> },
  { id: 'operator', header: t.picking.operator, isWide: true, cell: ({ operator_email }) => operator_email },
  { id: 'lines', header: t.orders.lines, isNumber: true, cell: ({ items_picked }) => formatNumber(items_picked) },
  {
    id: 'units',
    header: t.picking.units,
    isNumber: true,
    cell: ({ total_quantity_picked }) => formatNumber(total_quantity_picked),
  },
  { id: 'started', header: t.picking.started, cell: ({ started_at }) => <Time at={started_at} /> },
  { id: 'completed', header: t.picking.completed, cell: ({ completed_at }) => <Time at={completed_at} /> },
]
