import type { Webhook } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { SecretShown } from './secret-shown.tsx'

/** Asks, makes a new signing secret and shows it once. */
export function RotateSecret({ webhook: { id }, onClose }: { webhook: Webhook; onClose: () => void }) {
  return (
    <WriteDialog
      title={t.webhooks.rotate}
      act={t.webhooks.rotate}
      kind="primary"
      scope="write:webhooks"
      input={null}
      write={(api, _, options) => api.webhooks.rotateSecret(id, options)}
      secret={(rotated) => (close) => <SecretShown secret={rotated.secret} onStored={close} />}
      onClose={onClose}
    >
      <p>{t.webhooks.rotateText}</p>
    </WriteDialog>
  )
}
