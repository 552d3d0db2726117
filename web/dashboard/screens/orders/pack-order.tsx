import type { Order, OrderLine, Shipment } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { numberOf } from '../../kit/number-input.ts'
import { useTyped } from '../../kit/use-typed.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { nameOfShipment } from '../shipments/shipment-actions.tsx'

const COMPLETED = 5

/** Lines in one dialog. What is left then is packed with the next. */
const MOST_LINES = 50

interface Props {
  order: Order
  shipments: readonly Shipment[]
  onClose: () => void
}

/** Packs what was picked of an order and is in no shipment yet, in one package. */
export function PackOrder({ order, shipments, onClose }: Props) {
  const all = linesToPack(order, shipments)
  const lines = all.slice(0, MOST_LINES)
  const [typed, bind] = useTyped<Record<string, string>>(() => ({
    ...Object.fromEntries(lines.map(({ line, left }) => [String(line.id), String(left)])),
    reference: '',
    weight: '',
    carrier: '',
    tracking_number: '',
  }))
  const isPacked = ({ line }: Left): boolean => !['', '0'].includes(typed[line.id] ?? '')
  const packed = lines
    .filter(isPacked)
    .map(({ line }) => ({ order_detail_id: line.id, quantity: numberOf(typed[line.id] ?? '') }))
  const given = (name: string): Record<string, string> => (typed[name] ? { [name]: typed[name] } : {})
  const package_ = {
    lines: packed,
    ...(typed.weight ? { weight: numberOf(typed.weight) } : {}),
    ...given('carrier'),
    ...given('tracking_number'),
  }
  // The server names a line by its place among those that are sent.
  const pathOf = (one: Left): string => `packages[0].lines[${lines.filter(isPacked).indexOf(one)}].quantity`
  const ofPackage = (name: string) => ({ ...bind(name), name: `packages[0].${name}` })
  return (
    <WriteDialog
      title={t.shipments.packOf(order.order_tenant_id)}
      act={t.shipments.packAct}
      scope="write:orders"
      kind="primary"
      note={lines.length === 0 ? t.shipments.nothingToPack : t.shipments.packText}
      input={{ order_id: order.id, ...given('reference'), packages: packed.length === 0 ? [] : [package_] }}
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

interface Left {
  line: OrderLine
  left: number
}

/** The lines of which something was taken and is in no shipment yet. The server decides how much can be packed. */
function linesToPack({ state_id, order_detail: lines }: Order, shipments: readonly Shipment[]): Left[] {
  const packed = new Map<number, number>()
  for (const { state, packages } of shipments)
    if (state !== 'cancelled')
      for (const { order_detail_id: id, quantity } of packages.flatMap((each) => each.lines))
        packed.set(id, (packed.get(id) ?? 0) + quantity)
  const isByHand = state_id === COMPLETED && lines.every(({ picked_quantity }) => picked_quantity === 0)
  const leftOf = (line: OrderLine): number => (isByHand ? line.quantity : line.picked_quantity) - (packed.get(line.id) ?? 0)
  // Sums of decimals with 3 places.
  return lines.map((line) => ({ line, left: Math.round(leftOf(line) * 1_000) / 1_000 })).filter(({ left }) => left > 0)
}
