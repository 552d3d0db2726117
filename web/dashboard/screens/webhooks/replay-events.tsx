import type { Webhook, WebhooksReplayParams } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** Sends the events of a range again. The range may be narrower than a day, so it is typed. */
export function ReplayEvents({ webhook: { id }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [since, setSince] = useState('')
  const [until, setUntil] = useState('')
  const input: WebhooksReplayParams = { since: since.trim(), ...(until.trim() === '' ? {} : { until: until.trim() }) }
  return (
    <WriteDialog
      title={t.webhooks.replay}
      act={t.webhooks.replay}
      kind="primary"
      scope="write:webhooks"
      input={input}
      write={(api, params, options) => api.webhooks.replay(id, params, options)}
      done={({ queued }) => t.webhooks.replayed(queued)}
      onClose={onClose}
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
    </WriteDialog>
  )
}
