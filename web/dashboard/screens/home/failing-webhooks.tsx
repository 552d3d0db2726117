import type { Webhook } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { WebhookState } from '../webhooks/webhook-state.tsx'
import { Panel } from './panel.tsx'

/** The webhooks whose events do not arrive. */
export function FailingWebhooks() {
  const query = useRead(['webhooks'], (api, options) => api.webhooks.list({ include_inactive: true }, options))
  return (
    <Panel title={t.home.webhooks}>
      <Region query={query} rows={2}>
        {({ webhooks }) => {
          const failing = webhooks.filter(isFailing)
          if (webhooks.length === 0) return <p>{t.home.noWebhooks}</p>
          if (failing.length === 0) return <p>{t.home.allFine(webhooks.length)}</p>
          return <Table caption={t.home.failingWebhooks} columns={COLUMNS} rows={failing} rowKey={({ id }) => id} />
        }}
      </Region>
    </Panel>
  )
}

const isFailing = ({ active, failing_since, disabled_reason }: Webhook): boolean =>
  active ? failing_since !== null : disabled_reason !== 'paused'

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
  { id: 'state', header: t.webhooks.state, isTight: true, cell: (webhook) => <WebhookState webhook={webhook} /> },
  { id: 'failing', header: t.webhooks.failingSince, isTight: true, cell: ({ failing_since }) => <Time at={failing_since} /> },
]
