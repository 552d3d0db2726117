import type { ApiKey } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { serverNow } from '../../data/client.ts'
import { useRead } from '../../data/use-read.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

const RECENTLY_MS = 3_600_000

/** Asks before a key is revoked; its name must be typed when it was used in the last hour. */
export function RevokeKey({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { id, name } = apiKey
  const isInUse = useIsInUse(id)
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

/** Whether the key was used in the last hour; taken for granted until it is known. What is on screen may be older than the use. */
function useIsInUse(id: number): boolean {
  const { data } = useRead(['apiKey', id, 'last use'], (api, options) => api.apiKeys.get(id, options), {
    isFinal: true,
    keep: false,
  })
  if (data === undefined) return true
  return data.last_used_at !== null && serverNow() - Date.parse(data.last_used_at) < RECENTLY_MS
}
