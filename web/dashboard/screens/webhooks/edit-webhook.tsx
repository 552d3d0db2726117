import type { Webhook, WebhooksUpdateParams } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { TOPIC_FIELDS, useWebhookInput, type WebhookInput, type WebhookTopics } from './webhook-input.tsx'

/**
 * Edits a webhook. Only what was typed is sent: what others change meanwhile stays, and a URL that is sent counts as new and ends a
 * failure.
 */
export function EditWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [opened] = useState(webhook)
  const { input, fields } = useWebhookInput({ name: opened.name, url: opened.url, events: opened.events as WebhookTopics })
  const changes = changesOf(opened, input)
  const write = useWrite({
    write: (api, params: WebhooksUpdateParams, options) => api.webhooks.update(webhook.id, params, options),
    done: ({ name }) => t.webhooks.saved(name),
    onDone: onClose,
  })
  return (
    <Form
      {...write}
      label={t.webhooks.edit}
      typed={changes}
      fields={TOPIC_FIELDS}
      buttons={
        <FormButtons
          submit={t.dialog.save}
          scope="write:webhooks"
          isSaving={write.isSaving}
          onDiscard={onClose}
          call={(api) => api.webhooks.update(webhook.id, changes)}
        />
      }
      onSubmit={() => void write.send(changes)}
    >
      {fields}
    </Form>
  )
}

function changesOf(webhook: Webhook, { name, url, events }: WebhookInput): WebhooksUpdateParams {
  const sameTopics = events.length === webhook.events.length && events.every((topic) => webhook.events.includes(topic))
  return {
    ...(name === webhook.name ? {} : { name }),
    ...(url === webhook.url ? {} : { url }),
    ...(sameTopics ? {} : { events }),
  }
}
