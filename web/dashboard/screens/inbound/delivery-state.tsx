import { t } from '../../../shared/texts/texts.ts'
import { Badge } from '../../kit/badge.tsx'
import type { InboundState } from './inbound-search.ts'

const KINDS = { expected: 'state1', receiving: 'state3', closed: 'state5', cancelled: 'state7' } as const

/** The state of a delivery, in the words of the filter. */
export function DeliveryState({ state }: { state: InboundState }) {
  return <Badge kind={KINDS[state]}>{t.inbound.states[state]}</Badge>
}
