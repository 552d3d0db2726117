import type { Webhook } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { Switch } from '../../kit/switch.tsx'
import { DeleteWebhook } from './delete-webhook.tsx'
import { ReplayEvents } from './replay-events.tsx'
import { RotateSecret } from './rotate-secret.tsx'

type Asked = 'rotate' | 'replay' | 'delete' | undefined

/** What can be done with a webhook. */
export function WebhookActions({ webhook, onEdit }: { webhook: Webhook; onEdit: () => void }) {
  const [asked, setAsked] = useState<Asked>()
  const close = (): void => setAsked(undefined)
  return (
    <>
      <ActiveSwitch webhook={webhook} />
      <Button scope="write:webhooks" onPress={onEdit}>
        {t.webhooks.edit}
      </Button>
      <SendTest webhook={webhook} />
      <Button scope="write:webhooks" onPress={() => setAsked('rotate')}>
        {t.webhooks.rotate}
      </Button>
      <Button scope="write:webhooks" onPress={() => setAsked('replay')}>
        {t.webhooks.replay}
      </Button>
      <Button kind="bad" scope="write:webhooks" onPress={() => setAsked('delete')}>
        {t.webhooks.delete}
      </Button>
      {asked === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {asked === 'replay' && <ReplayEvents webhook={webhook} onClose={close} />}
      {asked === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
    </>
  )
}

function ActiveSwitch({ webhook: { id, name, active } }: { webhook: Webhook }) {
  const write = useWrite({
    write: (api, wanted: boolean, options) => api.webhooks.update(id, { active: wanted }, options),
    done: (_, wanted) => (wanted ? t.webhooks.activated(name) : t.webhooks.deactivated(name)),
  })
  return (
    <>
      <Switch
        label={t.webhooks.active}
        scope="write:webhooks"
        isSelected={active}
        isSaving={write.isSaving}
        onChange={(wanted) => void write.send(wanted)}
      />
      <ErrorNote error={write.error} retryAt={write.retryAt} stop={write.stop} />
    </>
  )
}

function SendTest({ webhook: { id } }: { webhook: Webhook }) {
  const write = useWrite({
    write: (api, _: null, options) => api.webhooks.test(id, {}, options),
    done: ({ last_error, last_status, attempts }) =>
      last_error === null
        ? t.webhooks.tested(last_status ?? 0, attempts.at(-1)?.duration_ms ?? 0)
        : t.webhooks.testFailed(last_error),
  })
  return (
    <>
      <Button scope="write:webhooks" isSaving={write.isSaving} onPress={() => void write.send(null)}>
        {t.webhooks.test}
      </Button>
      <ErrorNote error={write.error} retryAt={write.retryAt} stop={write.stop} />
    </>
  )
}
