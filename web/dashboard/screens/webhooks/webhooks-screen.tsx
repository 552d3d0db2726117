import type { Webhook } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ButtonLink } from '../../kit/link.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { SuccessBar } from './success-bar.tsx'
import { topicsText } from './topics-text.ts'
import { WebhookState } from './webhook-state.tsx'

/** All webhooks of the tenant, those that are turned off too. */
export function WebhooksScreen() {
  const query = useRead(['webhooks'], (api, options) => api.webhooks.list({ include_inactive: true }, options), { isMain: true })
  return (
    <Screen title={t.nav.webhooks} actions={query.data?.webhooks.length !== 0 && <NewWebhook />}>
      <Region query={query}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty text={t.webhooks.none}>
              <NewWebhook />
            </Empty>
          ) : (
            <>
              <Table
                caption={t.nav.webhooks}
                columns={COLUMNS}
                rows={webhooks}
                rowKey={({ id }) => id}
                isMarked={({ failing_since, active, disabled_reason }) =>
                  active ? failing_since !== null : disabled_reason !== 'paused'
                }
              />
              <p>{t.webhooks.total(webhooks.length)}</p>
            </>
          )
        }
      </Region>
    </Screen>
  )
}

function NewWebhook() {
  return (
    <ButtonLink to="/webhooks/new" kind="primary" scope="write:webhooks">
      {t.webhooks.new}
    </ButtonLink>
  )
}

const COLUMNS: Column<Webhook>[] = [
  {
    id: 'name',
    header: t.webhooks.name,
    isWide: true,
    cell: ({ id, name }) => (
      <Link to="/webhooks/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { id: 'url', header: t.webhooks.url, isWide: true, cell: ({ url }) => url },
  { id: 'topics', header: t.webhooks.topics, isWide: true, cell: ({ events }) => topicsText(events) },
  { id: 'health', header: t.webhooks.health, cell: (webhook) => <SuccessBar webhook={webhook} /> },
  { id: 'state', header: t.webhooks.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
  { id: 'failing', header: t.webhooks.failingSince, cell: ({ failing_since }) => <Time at={failing_since} /> },
]
