import type { Hold } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** Asks before a hold is released. */
export function ReleaseHold({ hold: { id, reference }, onClose }: { hold: Hold; onClose: () => void }) {
  return (
    <WriteDialog
      title={t.holds.releaseOne(reference)}
      act={t.holds.releaseAct}
      scope="write:orders"
      input={id}
      write={(api, hold, options) => api.holds.release(hold, options)}
      done={() => t.holds.released(reference)}
      onClose={onClose}
    >
      <p>{t.holds.releaseText}</p>
    </WriteDialog>
  )
}
