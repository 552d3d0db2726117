import type { Package, Shipment } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { useTyped } from '../../kit/use-typed.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

const textOf = (text: string): string | null => (text === '' ? null : text)

/** Changes how a package travels. An empty field removes what was there. */
export function TrackPackage({ shipment, each, onClose }: { shipment: Shipment; each: Package; onClose: () => void }) {
  const { number } = each
  const [typed, bind] = useTyped({
    carrier: each.carrier ?? '',
    tracking_number: each.tracking_number ?? '',
    tracking_url: each.tracking_url ?? '',
  })
  const entry = {
    number,
    carrier: textOf(typed.carrier),
    tracking_number: textOf(typed.tracking_number),
    tracking_url: textOf(typed.tracking_url),
  }
  const fieldOf = (name: keyof typeof typed) => ({ ...bind(name), name: `tracking[0].${name}` })
  return (
    <WriteDialog
      title={t.shipments.trackingOf(number)}
      act={t.shipments.trackingAct}
      scope="write:orders"
      kind="primary"
      input={{ tracking: [entry] }}
      write={(api, input, options) => api.shipments.update(shipment.id, input, options)}
      done={() => t.shipments.tracked(number)}
      onClose={onClose}
    >
      <Field label={t.shipments.carrier} maxLength={255} autoFocus {...fieldOf('carrier')} />
      <Field label={t.shipments.trackingNumber} maxLength={255} size="wide" {...fieldOf('tracking_number')} />
      <Field label={t.shipments.trackingUrl} type="url" maxLength={2048} size="wide" {...fieldOf('tracking_url')} />
    </WriteDialog>
  )
}
