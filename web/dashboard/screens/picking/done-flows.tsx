import type { PickingFlow } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { FlowLink } from './flow-cells.tsx'

const LIMIT = 50

/** The flows that were completed today, in UTC, the last first. */
export function DoneFlows() {
  const { done: page = 1 } = useSearch({ from: '/frame/picking' })
  const navigate = useNavigate({ from: '/picking' })
  const today = new Date().toISOString().slice(0, 10)
  const query = useRead(['flows', 'completed', today, page], (api, options) =>
    api.flows.list({ completed_since: today, page, limit: LIMIT }, options),
  )
  return (
    <Section title={t.picking.done}>
      <PagedTable
        query={query}
        caption={t.picking.done}
        columns={COLUMNS}
        rowsOf={({ flows }) => flows}
        rowKey={({ id }) => id}
        news={{ list: `${today} ${page}`, text: t.picking.more }}
        total={t.picking.flowsToday}
        empty={<Empty text={t.picking.nothingDone} />}
        isOneOfSeveral
        page={page}
        onPage={(done) => void navigate({ search: (before) => ({ ...before, done }) })}
      />
    </Section>
  )
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
