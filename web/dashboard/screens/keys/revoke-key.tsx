import type { ApiKey } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { serverNow } from '../../data/client.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

const RECENTLY_MS = 3_600_000

/** Asks before a key is revoked; its name must be typed when it was used in the last hour. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { id, name, last_used_at } = apiKey
  const isInUse = last_used_at !== null && serverNow() - Date.parse(last_used_at) < RECENTLY_MS
  return (
    <WriteDialog
      title={t.keys.revoke(name)}
      act={t.keys.revokeKey}
      scope="admin"
      typedName={isInUse ? name : undefined}
      input={null}
      write={(api, _, options) => api.apiKeys.revoke(id, options)}
      done={() => t.keys.revoked(name)}
      onClose={onClose}
    >
      <p>{isInUse ? t.keys.revokeInUse : t.keys.revokeText}</p>
    </WriteDialog>
  )
}
