import type { Pick } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** A pick with the name of its product. */
export interface NamedPick extends Pick {
  name: string
}

/** Asks before a pick is undone: what was taken goes back. */
export function UndoPick({ flowId, pick, onClose }: { flowId: number; pick: NamedPick; onClose: () => void }) {
  const { id, name, location_id, quantity } = pick
  return (
    <WriteDialog
      title={t.picking.undoOne(name, location_id)}
      act={t.picking.undoAct}
      scope="write:orders"
      note={t.picking.undoText(formatNumber(quantity), name, location_id)}
      input={id}
      write={(api, pickId, options) => api.flows.undoPick(flowId, pickId, options)}
      done={() => t.picking.undone(name)}
      onClose={onClose}
    />
  )
}
