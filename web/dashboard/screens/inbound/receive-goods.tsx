import type { InboundDelivery } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { formatNumber } from '../../../shared/format.ts'
import { Field } from '../../kit/field.tsx'
import { Select } from '../../kit/select.tsx'
import { numberOf, useTyped } from '../../kit/use-typed.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** Receives goods of a line at a location. */
export function ReceiveGoods({ delivery, onClose }: { delivery: InboundDelivery; onClose: () => void }) {
  const first = delivery.lines.find(isOpen) ?? delivery.lines[0]
  const [typed, bind] = useTyped({
    line: String(first?.id ?? ''),
    quantity: String(first === undefined ? '' : openOf(first)),
    location_id: '',
  })
  const line = delivery.lines.find(({ id }) => String(id) === typed.line)
  const input = { line_id: Number(typed.line), quantity: numberOf(typed.quantity), location_id: typed.location_id }
  return (
    <WriteDialog
      title={t.inbound.receive}
      act={t.inbound.receiveAct}
      scope="write:stock"
      kind="primary"
      codes={{ inbound_error: () => 'quantity', adjustment_error: () => 'quantity' }}
      input={input}
      write={(api, params, options) => api.inbound.receive(delivery.id, params, options)}
      done={({ receipt }) => t.inbound.receivedOf(formatNumber(receipt.quantity), line?.product_name ?? '', receipt.location_id)}
      onClose={onClose}
    >
      <Select
        label={t.inbound.line}
        options={delivery.lines.map((each) => ({ value: String(each.id), label: labelOf(each) }))}
        value={typed.line}
        onChange={bind('line').onChange}
      />
      <Field label={t.stock.quantity} isRequired type="number" size="narrow" {...bind('quantity')} />
      <Field label={t.stock.location} isRequired maxLength={64} autoFocus {...bind('location_id')} />
    </WriteDialog>
  )
}

type Line = InboundDelivery['lines'][number]

const openOf = ({ quantity, received_quantity }: Line): number => Math.max(quantity - received_quantity, 0)
const isOpen = (line: Line): boolean => openOf(line) > 0

const labelOf = (line: Line): string =>
  t.inbound.lineOf(line.product_name, formatNumber(line.received_quantity), formatNumber(line.quantity))
