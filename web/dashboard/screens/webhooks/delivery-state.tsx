import { t } from '../../../shared/texts/texts.ts'
import { Badge, type BadgeKind } from '../../kit/badge.tsx'
import type { DeliveryStateName } from './delivery-states.ts'

const KINDS: Record<DeliveryStateName, BadgeKind> = {
  pending: 'warn',
  in_flight: 'state3',
  succeeded: 'ok',
  failed: 'bad',
  skipped: 'muted',
}

/** The state of a delivery, in the words of the filter. */
export function DeliveryState({ state }: { state: DeliveryStateName }) {
  return <Badge kind={KINDS[state]}>{t.deliveries.states[state]}</Badge>
}
