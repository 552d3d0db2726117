import { t } from '../../../shared/texts/texts.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

interface Props {
  onDone: () => void
  onClose: () => void
}

/** Asks before all reservations end. */
export function TurnOffReserving({ onDone, onClose }: Props) {
  return (
    <WriteDialog
      title={t.settings.turnOff}
      act={t.settings.turnOff}
      scope="admin"
      input={{ reservation_policy: 'off' as const }}
      write={(api, input, options) => api.settings.update(input, options)}
      done={() => t.settings.policySaved(t.settings.policies.off)}
      onDone={() => {
        onDone()
        onClose()
      }}
      onClose={onClose}
    >
      <p>{t.settings.turnOffText}</p>
    </WriteDialog>
  )
}
