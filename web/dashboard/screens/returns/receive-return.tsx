import type { Return, ReturnsReceiveParams } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { LocationField } from '../../kit/location-field.tsx'
import { Select } from '../../kit/select.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { GoodsInput, receiptOf, useGoods } from '../../receiving/goods-input.tsx'
import type { RecordDialogProps } from '../../receiving/record-actions.tsx'

type Disposition = ReturnsReceiveParams['disposition']

const DISPOSITIONS = (['restock', 'quarantine', 'scrap'] as const).map((value) => ({
  value,
  label: t.returns.dispositions[value],
}))

/** Receives goods of a return, and says what becomes of them. What is scrapped goes to no location. */
export function ReceiveReturn({ record, onClose }: RecordDialogProps<Return>) {
  const { goods, setGoods, name } = useGoods(record)
  const [disposition, setDisposition] = useState<Disposition>('restock')
  const [location, setLocation] = useState('')
  const isScrap = disposition === 'scrap'
  return (
    <WriteDialog
      title={t.receiving.receive}
      act={t.receiving.receive}
      scope="write:orders"
      kind="primary"
      codes={{ return_error: () => 'quantity', adjustment_error: () => 'quantity' }}
      input={{ ...receiptOf(goods), disposition, ...(isScrap ? {} : { location_id: location }) }}
      write={(api, params, options) => api.returns.receive(record.id, params, options)}
      done={({ receipt }) => doneText(formatNumber(receipt.quantity), name, receipt.location_id)}
      onClose={onClose}
    >
      <GoodsInput record={record} goods={goods} onGoods={setGoods} />
      <Select
        label={t.returns.disposition}
        name="disposition"
        options={DISPOSITIONS}
        value={disposition}
        onChange={setDisposition}
      />
      <p>{t.returns.dispositionTexts[disposition]}</p>
      {!isScrap && (
        <LocationField
          label={t.stock.location}
          name="location_id"
          canCreate={disposition === 'restock'}
          autoFocus
          // After Scrap and back, the field begins with what was typed, which may not exist.
          known=""
          value={location}
          onChange={setLocation}
        />
      )}
    </WriteDialog>
  )
}

const doneText = (quantity: string, name: string, location: string | null): string =>
  location === null ? t.returns.scrappedOf(quantity, name) : t.receiving.receivedAt(quantity, name, location)
