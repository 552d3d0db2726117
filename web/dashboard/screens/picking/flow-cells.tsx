import type { PickingFlow } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Badge } from '../../kit/badge.tsx'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import styles from './picking.module.css'

/** The flow, by the identifier of its order. */
export function FlowLink({ flow: { id, order_tenant_id } }: { flow: PickingFlow }) {
  return (
    <Link to="/picking/$id" params={{ id: String(id) }}>
      {order_tenant_id}
    </Link>
  )
}

/** How much of a flow is picked, in numbers and as a bar. */
export function FlowProgress({ flow: { order_tenant_id, total_quantity_picked, total_quantity } }: { flow: PickingFlow }) {
  return (
    <span className={styles.progress}>
      <ProgressBar label={t.picking.progressOf(order_tenant_id)} value={total_quantity_picked} max={total_quantity} />
      <span>{t.picking.of(formatNumber(total_quantity_picked), formatNumber(total_quantity))}</span>
    </span>
  )
}

const KINDS = { started: 'state3', completed: 'state5', cancelled: 'state7' } as const

/** The state of a flow in words. */
export function FlowState({ state }: { state: PickingFlow['state'] }) {
  return <Badge kind={KINDS[state]}>{t.orders.flowStates[state]}</Badge>
}
