import type { PickingFlow } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** Asks before a flow is cancelled: its picks go back. */
export function CancelFlow({ flow: { id, order_tenant_id }, onClose }: { flow: PickingFlow; onClose: () => void }) {
  const [reason, setReason] = useState('')
  return (
    <WriteDialog
      title={t.picking.cancelOne(order_tenant_id)}
      act={t.picking.cancelOne(order_tenant_id)}
      scope="write:orders"
      note={t.picking.cancelText}
      input={reason === '' ? {} : { reason }}
      write={(api, input, options) => api.flows.cancel(id, input, options)}
      done={() => t.picking.flowCancelled(order_tenant_id)}
      onClose={onClose}
    >
      <Field label={t.picking.reason} name="reason" maxLength={1000} size="wide" value={reason} onChange={setReason} autoFocus />
    </WriteDialog>
  )
}
