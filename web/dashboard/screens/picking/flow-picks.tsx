import type { PickingFlowDetails } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { type NamedPick, UndoPick } from './undo-pick.tsx'

/** The picks of a flow in order; in a running one each can be undone. */
export function FlowPicks({ flow }: { flow: PickingFlowDetails }) {
  const [undone, setUndone] = useState<NamedPick>()
  const nameOf = (id: number): string => flow.lines.find(({ product_id }) => product_id === id)?.product_name ?? String(id)
  const picks = flow.picks.map((pick) => ({ ...pick, name: nameOf(pick.product_id) }))
  const isRunning = flow.state === 'started'
  return (
    <>
      {picks.length === 0 ? (
        <p>{t.picking.noPicks}</p>
      ) : (
        <>
          <Table
            caption={t.picking.picks}
            columns={isRunning ? [...COLUMNS, actions(setUndone)] : COLUMNS}
            rows={picks}
            rowKey={({ id }) => id}
          />
          <p>{t.picking.totalPicks(picks.length)}</p>
        </>
      )}
      {undone !== undefined && <UndoPick flowId={flow.id} pick={undone} onClose={() => setUndone(undefined)} />}
    </>
  )
}

const COLUMNS: Column<NamedPick>[] = [
  { id: 'at', header: t.picking.at, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'product', header: t.orders.product, isWide: true, cell: ({ name }) => name },
  { id: 'location', header: t.stock.location, cell: ({ location_id }) => location_id },
  { id: 'quantity', header: t.stock.quantity, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
]

const actions = (undo: (pick: NamedPick) => void): Column<NamedPick> => ({
  id: 'actions',
  header: t.picking.actions,
  cell: (pick) => (
    <Button
      kind="quiet"
      scope="write:orders"
      aria-label={t.picking.undoOne(pick.name, pick.location_id)}
      onPress={() => undo(pick)}
    >
      {t.picking.undo}
    </Button>
  ),
})
