import type { InboundDelivery, InboundReceipt } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'

const LIMIT = 100

/** A receipt with the name of its product. */
type NamedReceipt = InboundReceipt & { name: string }

/** The receipts of a delivery, newest first; while it is received, each can be undone. */
export function DeliveryReceipts({ delivery }: { delivery: InboundDelivery }) {
  const [undone, setUndone] = useState<NamedReceipt>()
  const query = useRead(['inbound record', String(delivery.id), 'receipts'], (api, options) =>
    api.inbound.receipts(delivery.id, { limit: LIMIT }, options),
  )
  const nameOf = (id: number): string => delivery.lines.find(({ product_id }) => product_id === id)?.product_name ?? String(id)
  const columns = delivery.state === 'receiving' ? [...COLUMNS, actions(setUndone)] : COLUMNS
  return (
    <Section title={t.inbound.receipts}>
      <Region query={query} rows={2}>
        {({ receipts, pagination: { total } }) =>
          total === 0 ? (
            <p>{t.inbound.noReceipts}</p>
          ) : (
            <>
              <Table
                caption={t.inbound.receipts}
                columns={columns}
                rows={receipts.map((receipt) => ({ ...receipt, name: nameOf(receipt.product_id) }))}
                rowKey={({ id }) => id}
              />
              <p>{t.inbound.lastReceipts(receipts.length, total)}</p>
            </>
          )
        }
      </Region>
      {undone !== undefined && <UndoReceipt delivery={delivery} receipt={undone} onClose={() => setUndone(undefined)} />}
    </Section>
  )
}

const COLUMNS: Column<NamedReceipt>[] = [
  { id: 'at', header: t.picking.at, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'product', header: t.orders.product, isWide: true, cell: ({ name }) => name },
  { id: 'location', header: t.stock.location, cell: ({ location_id }) => location_id },
  { id: 'quantity', header: t.stock.quantity, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  { id: 'undone', header: t.inbound.undoneAt, cell: ({ undone_at }) => <Time at={undone_at} /> },
]

const actions = (undo: (receipt: NamedReceipt) => void): Column<NamedReceipt> => ({
  id: 'actions',
  header: t.picking.actions,
  cell: (receipt) =>
    receipt.undone_at === null && (
      <Button
        kind="quiet"
        scope="write:stock"
        aria-label={t.inbound.undoOne(receipt.name, receipt.location_id)}
        onPress={() => undo(receipt)}
      >
        {t.picking.undo}
      </Button>
    ),
})

function UndoReceipt({ delivery, receipt, onClose }: { delivery: InboundDelivery; receipt: NamedReceipt; onClose: () => void }) {
  const { id, name, location_id, quantity } = receipt
  return (
    <WriteDialog
      title={t.inbound.undoOne(name, location_id)}
      act={t.inbound.undoAct}
      scope="write:stock"
      note={t.inbound.undoText(formatNumber(quantity), name, location_id)}
      input={id}
      write={(api, receiptId, options) => api.inbound.undoReceipt(delivery.id, receiptId, {}, options)}
      done={() => t.inbound.undone(name)}
      onClose={onClose}
    />
  )
}
