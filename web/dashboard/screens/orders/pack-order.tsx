import type { Order, Shipment, ShipmentsCreateParams } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { numberOf } from '../../kit/number-input.ts'
import { useTyped } from '../../kit/use-typed.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { nameOfShipment } from '../shipments/shipment-actions.tsx'
import { type LineToPack, linesToPack } from './lines-to-pack.ts'

/** Lines in one dialog. What is left then is packed with the next. */
const MAX_LINES = 50

interface Props {
  order: Order
  shipments: readonly Shipment[]
  onClose: () => void
}

/** Packs what was picked of an order and is in no shipment yet, in one package. */
export function PackOrder({ order, shipments, onClose }: Props) {
  const all = linesToPack(order, shipments)
  const lines = all.slice(0, MAX_LINES)
  const [typed, bind] = useTyped<Record<string, string>>(() => ({
    ...Object.fromEntries(lines.map(({ line, left }) => [String(line.id), String(left)])),
    reference: '',
    weight: '',
    carrier: '',
    tracking_number: '',
  }))
  const packed = lines.filter(({ line }) => !['', '0'].includes(typed[line.id] ?? ''))
  // The server names a line by its place among those that are sent.
  const pathOf = (one: LineToPack): string => `packages[0].lines[${packed.indexOf(one)}].quantity`
  const ofPackage = (name: string) => ({ ...bind(name), name: `packages[0].${name}` })
  return (
    <WriteDialog
      title={t.shipments.packOf(order.order_tenant_id)}
      act={t.shipments.packAct}
      scope="write:orders"
      kind="primary"
      note={lines.length === 0 ? t.shipments.nothingToPack : t.shipments.packText}
      input={inputOf(order, packed, typed)}
      write={(api, input, options) => api.shipments.create(input, options)}
      done={(shipment) => t.shipments.packed(nameOfShipment(shipment))}
      onClose={onClose}
    >
      {all.length > lines.length && <p>{t.shipments.firstLines(lines.length, all.length)}</p>}
      {lines.map((one, index) => (
        <Field
          key={one.line.id}
          label={t.shipments.quantityOf(one.line.product_name)}
          mark={t.shipments.left(formatNumber(one.left))}
          type="number"
          size="narrow"
          autoFocus={index === 0}
          {...bind(String(one.line.id))}
          name={pathOf(one)}
        />
      ))}
      <Field label={t.shipments.reference} maxLength={255} {...bind('reference')} />
      <Field label={t.shipments.weight} mark={t.units.kg} type="number" size="narrow" {...ofPackage('weight')} />
      <Field label={t.shipments.carrier} maxLength={255} {...ofPackage('carrier')} />
      <Field label={t.shipments.trackingNumber} maxLength={255} {...ofPackage('tracking_number')} />
    </WriteDialog>
  )
}

/** What is packed: the lines of one package, and what was typed besides. An empty field is not sent. */
function inputOf({ id }: Order, packed: readonly LineToPack[], typed: Readonly<Record<string, string>>): ShipmentsCreateParams {
  const given = (name: string): Record<string, string> => (typed[name] ? { [name]: typed[name] } : {})
  const content = {
    lines: packed.map(({ line }) => ({ order_detail_id: line.id, quantity: numberOf(typed[line.id] ?? '') })),
    ...(typed.weight ? { weight: numberOf(typed.weight) } : {}),
    ...given('carrier'),
    ...given('tracking_number'),
  }
  return { order_id: id, ...given('reference'), packages: packed.length === 0 ? [] : [content] }
}
