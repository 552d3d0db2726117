import type { PickingFlow } from '@fulfillment/sdk'
import { type ReactNode, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { AssignFlow } from './assign-flow.tsx'
import { CancelFlow } from './cancel-flow.tsx'

type Dialog = typeof AssignFlow | typeof CancelFlow

/** The buttons of a running flow and the dialog that they open, which stays when the flow is read again or leaves the list. */
export function useFlowDialogs(): { buttonsOf: (flow: PickingFlow, kind?: 'plain' | 'quiet') => ReactNode; dialog: ReactNode } {
  const [opened, setOpened] = useState<{ Dialog: Dialog; flow: PickingFlow }>()
  const buttonsOf = (flow: PickingFlow, kind: 'plain' | 'quiet' = 'plain'): ReactNode => (
    <>
      <Button
        kind={kind}
        scope="write:orders"
        aria-label={t.picking.assignOne(flow.order_tenant_id)}
        onPress={() => setOpened({ Dialog: AssignFlow, flow })}
      >
        {t.picking.assign}
      </Button>
      <Button
        kind={kind === 'plain' ? 'bad' : kind}
        scope="write:orders"
        aria-label={t.picking.cancelOne(flow.order_tenant_id)}
        onPress={() => setOpened({ Dialog: CancelFlow, flow })}
      >
        {t.picking.cancel}
      </Button>
    </>
  )
  const dialog = opened !== undefined && <opened.Dialog flow={opened.flow} onClose={() => setOpened(undefined)} />
  return { buttonsOf, dialog }
}
