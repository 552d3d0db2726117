import type { Webhook } from '@fulfillment/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen } from '../../kit/screen.tsx'
import { Time } from '../../kit/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { EditWebhook } from './edit-webhook.tsx'
import { topicsText } from './topics-text.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookHealth } from './webhook-health.tsx'
import { WebhookState } from './webhook-state.tsx'

/** One webhook with its health and its deliveries. */
export function WebhookScreen() {
  const { id } = useParams({ from: '/frame/webhooks/$id' })
  const query = useRead(['webhook', id], (api, options) => api.webhooks.get(id, options), { isMain: true, keep: false })
  const [isEditing, setEditing] = useState(false)
  const webhook = query.data
  return (
    <Screen
      title={webhook?.name ?? t.webhooks.one(id)}
      mark={webhook && <WebhookState webhook={webhook} />}
      actions={webhook && <WebhookActions webhook={webhook} onEdit={() => setEditing(true)} />}
    >
      <Region query={query} missing={t.webhooks.missing(id)}>
        {(loaded) => (
          <>
            {isEditing ? <EditWebhook webhook={loaded} onClose={() => setEditing(false)} /> : <Facts facts={factsOf(loaded)} />}
            <WebhookHealth id={id} name={loaded.name} />
            <Deliveries id={id} />
          </>
        )}
      </Region>
    </Screen>
  )
}

const factsOf = (webhook: Webhook) => [
  { name: t.webhooks.url, value: webhook.url },
  { name: t.webhooks.topics, value: topicsText(webhook.events) },
  { name: t.webhooks.failingSince, value: <Time at={webhook.failing_since} /> },
  ...(webhook.disabled_at === null ? [] : [{ name: t.webhooks.disabledAt, value: <Time at={webhook.disabled_at} /> }]),
  { name: t.webhooks.created, value: <Time at={webhook.created_at} /> },
  { name: t.webhooks.updated, value: <Time at={webhook.updated_at} /> },
]
