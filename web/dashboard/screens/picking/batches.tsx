import type { FlowBatchSummary } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, RowActions } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { nameOfBatch } from './batch-cells.tsx'
import { StartBatch } from './start-batch.tsx'
import { useBatchDialogs } from './use-batch-dialogs.tsx'

const LIMIT = 50

/** Batches that are being picked, and how to start one. */
export function Batches() {
  const { batches: page = 1 } = useSearch({ from: '/frame/picking' })
  const navigate = useNavigate({ from: '/picking' })
  const [isStarting, setStarting] = useState(false)
  const { buttonsOf, dialog } = useBatchDialogs()
  const query = useRead(['flows', 'batches', page], (api, options) =>
    api.flowBatches.list({ state: 'started', page, limit: LIMIT }, options),
  )
  return (
    <Section
      title={t.batches.title}
      actions={
        <Button scope="write:orders" onPress={() => setStarting(true)}>
          {t.batches.start}
        </Button>
      }
    >
      <PagedTable
        query={query}
        caption={t.batches.title}
        columns={columns(buttonsOf)}
        rowsOf={({ flow_batches }) => flow_batches}
        rowKey={({ id }) => id}
        news={{ list: String(page), text: t.batches.more }}
        total={t.batches.total}
        empty={<Empty text={t.batches.none} />}
        isOneOfSeveral
        page={page}
        onPage={(batches) => void navigate({ search: (before) => ({ ...before, batches }) })}
      />
      {isStarting && <StartBatch onClose={() => setStarting(false)} />}
      {dialog}
    </Section>
  )
}

const columns = (buttonsOf: (batch: FlowBatchSummary, kind: 'quiet') => ReactNode): Column<FlowBatchSummary>[] => [
  {
    id: 'batch',
    header: t.batches.batch,
    isWide: true,
    cell: (batch) => (
      <Link to="/picking/batches/$id" params={{ id: String(batch.id) }}>
        {nameOfBatch(batch)}
      </Link>
    ),
  },
  { id: 'operator', header: t.picking.operator, isWide: true, cell: ({ operator_email }) => operator_email },
  { id: 'orders', header: t.nav.orders, isNumber: true, cell: ({ slots }) => slots.length },
  {
    id: 'running',
    header: t.batches.running,
    isNumber: true,
    cell: ({ slots }) => slots.filter(({ state }) => state === 'started').length,
  },
  { id: 'started', header: t.picking.started, isTight: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'actions', header: t.picking.actions, cell: (batch) => <RowActions>{buttonsOf(batch, 'quiet')}</RowActions> },
]
