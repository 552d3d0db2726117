import type { InboundDelivery } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { LocationField } from '../../kit/location-field.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { GoodsInput, receiptOf, useGoods } from '../../receiving/goods-input.tsx'
import type { RecordDialogProps } from '../../receiving/record-actions.tsx'

/** Receives goods of a delivery at a location. */
export function ReceiveDelivery({ record, onClose }: RecordDialogProps<InboundDelivery>) {
  const { goods, setGoods, name } = useGoods(record)
  const [location, setLocation] = useState('')
  return (
    <WriteDialog
      title={t.receiving.receive}
      act={t.receiving.receive}
      scope="write:stock"
      kind="primary"
      codes={{ inbound_error: () => 'quantity', adjustment_error: () => 'quantity' }}
      input={{ ...receiptOf(goods), location_id: location }}
      write={(api, params, options) => api.inbound.receive(record.id, params, options)}
      done={({ receipt }) => t.receiving.receivedAt(formatNumber(receipt.quantity), name, receipt.location_id)}
      onClose={onClose}
    >
      <GoodsInput record={record} goods={goods} onGoods={setGoods} />
      <LocationField label={t.stock.location} name="location_id" canCreate autoFocus value={location} onChange={setLocation} />
    </WriteDialog>
  )
}
