import type { PickingFlow } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, RowActions } from '../../kit/table.tsx'
import { FlowLink, FlowProgress } from './flow-cells.tsx'
import { SinceLastPick } from './since-last-pick.tsx'
import { useFlowDialogs } from './use-flow-dialogs.tsx'

const LIMIT = 50

/** Flows that are being picked, the oldest first. */
export function RunningFlows() {
  const { running: page = 1 } = useSearch({ from: '/frame/picking' })
  const navigate = useNavigate({ from: '/picking' })
  const { buttonsOf, dialog } = useFlowDialogs()
  const query = useRead(
    ['flows', 'started', page],
    (api, options) => api.flows.list({ state: 'started', page, limit: LIMIT }, options),
    { isMain: true },
  )
  // The same rows at each rendering of the same response.
  const flows = useMemo(() => query.data?.flows.toReversed() ?? [], [query.data])
  return (
    <Section title={t.picking.running}>
      <PagedTable
        query={query}
        caption={t.picking.running}
        columns={columns(buttonsOf)}
        rowsOf={() => flows}
        rowKey={({ id }) => id}
        news={{ list: String(page), text: t.picking.more }}
        total={t.picking.flows}
        empty={<Empty text={t.picking.nobody} />}
        isOneOfSeveral
        page={page}
        onPage={(running) => void navigate({ search: (before) => ({ ...before, running }) })}
      />
      {dialog}
    </Section>
  )
}

const columns = (buttonsOf: (flow: PickingFlow, kind: 'quiet') => ReactNode): Column<PickingFlow>[] => [
  { id: 'order', header: t.picking.order, isWide: true, cell: (flow) => <FlowLink flow={flow} /> },
  { id: 'operator', header: t.picking.operator, isWide: true, cell: ({ operator_email }) => operator_email },
  { id: 'progress', header: t.picking.progress, cell: (flow) => <FlowProgress flow={flow} /> },
  { id: 'last', header: t.picking.lastPick, isTight: true, cell: (flow) => <SinceLastPick flow={flow} /> },
  { id: 'actions', header: t.picking.actions, cell: (flow) => <RowActions>{buttonsOf(flow, 'quiet')}</RowActions> },
]
