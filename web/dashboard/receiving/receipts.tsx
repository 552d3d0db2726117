import { useState } from 'react'
import { formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Button } from '../kit/button.tsx'
import { Region } from '../kit/region.tsx'
import { Section } from '../kit/screen.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { Time, Value } from '../kit/time.tsx'
import { WriteDialog } from '../kit/write-dialog.tsx'
import type { Receipt, Receivable, ReceivingKind } from './kind.ts'

const LIMIT = 100

/** A receipt with the name of its product. */
type NamedReceipt = Receipt & { name: string }

interface ReceiptsProps {
  kind: ReceivingKind
  record: Receivable
}

/** The receipts of a delivery or return, newest first; while it is received, each can be undone. */
export function Receipts({ kind, record }: ReceiptsProps) {
  const [undone, setUndone] = useState<NamedReceipt>()
  const query = useRead([kind.key, String(record.id), 'receipts'], (api, options) =>
    kind.calls(api).receipts(record.id, { limit: LIMIT }, options),
  )
  const nameOf = (id: number): string => record.lines.find(({ product_id }) => product_id === id)?.product_name ?? String(id)
  const columns = 'order_id' in record ? RETURN_COLUMNS : COLUMNS
  return (
    <Section title={t.receiving.receipts}>
      <Region query={query} rows={2}>
        {({ receipts, pagination: { total } }) =>
          total === 0 ? (
            <p>{t.receiving.noReceipts}</p>
          ) : (
            <>
              <Table
                caption={t.receiving.receipts}
                columns={record.state === 'receiving' ? [...columns, actions(kind, setUndone)] : columns}
                rows={receipts.map((receipt) => ({ ...receipt, name: nameOf(receipt.product_id) }))}
                rowKey={({ id }) => id}
              />
              <p>{t.receiving.lastReceipts(receipts.length, total)}</p>
            </>
          )
        }
      </Region>
      {undone !== undefined && <UndoReceipt kind={kind} record={record} receipt={undone} onClose={() => setUndone(undefined)} />}
    </Section>
  )
}

const COLUMNS: Column<NamedReceipt>[] = [
  { id: 'at', header: t.picking.at, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'product', header: t.orders.product, isWide: true, cell: ({ name }) => name },
  { id: 'location', header: t.stock.location, cell: ({ location_id }) => <Value text={location_id} /> },
  { id: 'quantity', header: t.stock.quantity, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  { id: 'undone', header: t.receiving.undoneAt, cell: ({ undone_at }) => <Time at={undone_at} /> },
]

const DISPOSITION: Column<NamedReceipt> = {
  id: 'disposition',
  header: t.returns.disposition,
  cell: (receipt) => ('disposition' in receipt ? t.returns.dispositions[receipt.disposition] : null),
}

const RETURN_COLUMNS = COLUMNS.toSpliced(2, 0, DISPOSITION)

/** The name of what undoes a receipt: scrap is at no location. */
const undoOf = ({ name, location_id }: NamedReceipt): string =>
  location_id === null ? t.returns.undoScrapOf(name) : t.receiving.undoOne(name, location_id)

const actions = ({ scope }: ReceivingKind, undo: (receipt: NamedReceipt) => void): Column<NamedReceipt> => ({
  id: 'actions',
  header: t.picking.actions,
  cell: (receipt) =>
    receipt.undone_at === null && (
      <Button kind="quiet" scope={scope} aria-label={undoOf(receipt)} onPress={() => undo(receipt)}>
        {t.picking.undo}
      </Button>
    ),
})

interface UndoProps extends ReceiptsProps {
  receipt: NamedReceipt
  onClose: () => void
}

function UndoReceipt({ kind, record, receipt, onClose }: UndoProps) {
  const { id, name, location_id } = receipt
  const quantity = formatNumber(receipt.quantity)
  return (
    <WriteDialog
      title={undoOf(receipt)}
      act={t.receiving.undoAct}
      scope={kind.scope}
      note={location_id === null ? t.returns.undoScrapText(quantity, name) : t.receiving.undoText(quantity, name, location_id)}
      input={id}
      write={(api, receiptId, options) => kind.calls(api).undoReceipt(record.id, receiptId, {}, options)}
      done={() => t.receiving.undone(name)}
      onClose={onClose}
    />
  )
}
