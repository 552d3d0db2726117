import type { Webhook } from '@fulfillment/sdk'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { serverNow } from '../../data/client.ts'
import { useRead } from '../../data/use-read.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

const RECENTLY_MS = 3_600_000

/** Asks before a webhook is deleted; its name must be typed when it had a delivery in the last hour. */
export function DeleteWebhook({ webhook: { id, name }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const isInUse = useIsInUse(id)
  const navigate = useNavigate()
  return (
    <WriteDialog
      title={t.webhooks.delete}
      act={t.webhooks.deleteOne(name)}
      scope="write:webhooks"
      typedName={isInUse ? name : undefined}
      input={null}
      write={(api, _, options) => api.webhooks.delete(id, options)}
      done={() => t.webhooks.deleted(name)}
      onDone={() => void navigate({ to: '/webhooks' })}
      gone={[
        ['webhook', id],
        ['deliveries', id],
      ]}
      onClose={onClose}
    >
      <p>{isInUse ? t.webhooks.deleteInUse : t.webhooks.deleteText}</p>
    </WriteDialog>
  )
}

/** Whether the latest delivery is of the last hour; taken for granted until it is known. */
function useIsInUse(id: string): boolean {
  const { data } = useRead(['deliveries', id, 'latest'], (api, options) => api.webhooks.deliveries(id, { limit: 1 }, options), {
    keep: false,
  })
  if (data === undefined) return true
  const [latest] = data.deliveries
  const lastAt = latest?.attempts.at(-1)?.started_at ?? latest?.created_at
  return lastAt !== undefined && serverNow() - Date.parse(lastAt) < RECENTLY_MS
}
