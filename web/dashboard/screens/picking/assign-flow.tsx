import type { PickingFlow } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { type ChosenOperator, OperatorCombo } from '../../kit/operator-combo.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** The dialog that gives a running flow to another operator. */
export function AssignFlow({ flow, onClose }: { flow: PickingFlow; onClose: () => void }) {
  const { id, order_tenant_id, operator_email } = flow
  const [chosen, setChosen] = useState<ChosenOperator>({ operator_email: '' })
  return (
    <WriteDialog
      title={t.picking.assign}
      act={t.picking.assign}
      kind="primary"
      scope="write:orders"
      note={t.picking.assignText(order_tenant_id, operator_email)}
      input={chosen}
      write={(api, input, options) => api.flows.assign(id, input, options)}
      done={(assigned) => t.picking.assigned(order_tenant_id, assigned.operator_email)}
      onClose={onClose}
    >
      <OperatorCombo chosen={chosen} onOperator={setChosen} />
    </WriteDialog>
  )
}
