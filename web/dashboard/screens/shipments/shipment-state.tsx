import { t } from '../../../shared/texts/texts.ts'
import { Badge } from '../../kit/badge.tsx'
import type { ShipmentState as State } from './shipments-search.ts'

const KINDS = { open: 'state1', shipped: 'state3', delivered: 'state5', cancelled: 'state7' } as const

/** The state of a shipment, in the words of the filter. */
export function ShipmentState({ state }: { state: State }) {
  return <Badge kind={KINDS[state]}>{t.shipments.states[state]}</Badge>
}
