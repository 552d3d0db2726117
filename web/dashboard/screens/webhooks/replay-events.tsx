import type { Webhook, WebhooksReplayParams } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Confirm } from '../../kit/confirm.tsx'
import { Field } from '../../kit/field.tsx'

/** Sends the events of a range again. The range may be narrower than a day, so it is typed. */
export function ReplayEvents({ webhook: { id }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [since, setSince] = useState('')
  const [until, setUntil] = useState('')
  const input: WebhooksReplayParams = { since: since.trim(), ...(until.trim() === '' ? {} : { until: until.trim() }) }
  const write = useWrite({
    write: (api, params: WebhooksReplayParams, options) => api.webhooks.replay(id, params, options),
    done: ({ queued }) => t.webhooks.replayed(queued),
    onDone: onClose,
  })
  return (
    <Confirm
      {...write}
      isOpen
      title={t.webhooks.replay}
      act={t.webhooks.replay}
      kind="primary"
      scope="write:webhooks"
      calls={[(api) => api.webhooks.replay(id, input)]}
      onClose={onClose}
      onConfirm={() => void write.send(input)}
    >
      <p>{t.webhooks.replayText}</p>
      <Field
        label={t.webhooks.since}
        name="since"
        isRequired
        autoFocus
        hint={t.webhooks.replayHint}
        value={since}
        onChange={setSince}
      />
      <Field label={t.webhooks.until} name="until" value={until} onChange={setUntil} />
    </Confirm>
  )
}
