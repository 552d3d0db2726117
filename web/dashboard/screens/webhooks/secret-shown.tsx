import { t } from '../../../shared/texts/texts.ts'
import { SecretDialog } from '../../kit/secret-dialog.tsx'

/** A signing secret, which cannot be read again. */
export function SecretShown({ secret, onStored }: { secret: string; onStored: () => void }) {
  return (
    <SecretDialog
      title={t.webhooks.secret}
      label={t.webhooks.secret}
      copy={t.webhooks.copySecret}
      copied={t.webhooks.secretCopied}
      value={secret}
      onStored={onStored}
    >
      <p>{t.webhooks.secretText}</p>
    </SecretDialog>
  )
}
