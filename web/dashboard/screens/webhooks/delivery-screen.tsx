import type { Delivery } from '@fulfillment/sdk'
import { Link, useParams } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { CopiedId, Id } from '../../kit/id.tsx'
import { JsonBody } from '../../kit/json-body.tsx'
import { Region } from '../../kit/region.tsx'
import { TimeUntil } from '../../kit/relative-time.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { isUnderWay } from './delivery-states.ts'
import { DeliveryState } from './delivery-state.tsx'
import styles from './webhooks.module.css'

/** One delivery: what was sent, each attempt, and the next one. */
export function DeliveryScreen() {
  const { delivery: id } = useParams({ from: '/frame/webhooks/$id/deliveries/$delivery' })
  const query = useRead(['delivery', id], (api, options) => api.webhooks.getDelivery(id, options), {
    isMain: true,
    keep: false,
    isPending: isUnderWay,
  })
  const delivery = query.data
  return (
    <Screen
      title={delivery === undefined ? t.deliveries.unknown : t.deliveries.one(delivery.event)}
      mark={delivery && <DeliveryState state={delivery.state} />}
      actions={delivery && <Retry id={id} />}
    >
      <Region query={query} missing={t.deliveries.missing}>
        {(loaded) => (
          <>
            <Facts facts={factsOf(loaded)} />
            <Attempts delivery={loaded} />
            <Body eventId={loaded.event_id} />
          </>
        )}
      </Region>
    </Screen>
  )
}

function Retry({ id }: { id: string }) {
  const write = useWrite({
    write: (api, _: null, options) => api.webhooks.retryDelivery(id, options),
    done: () => t.deliveries.retried,
  })
  return (
    <>
      <Button kind="primary" scope="write:webhooks" isSaving={write.isSaving} onPress={() => void write.send(null)}>
        {t.deliveries.retry}
      </Button>
      <ErrorNote error={write.error} retryAt={write.retryAt} stop={write.stop} />
    </>
  )
}

const factsOf = ({ webhook_id, event_id, attempt_count, next_attempt_at, created_at, completed_at }: Delivery) => [
  {
    name: t.deliveries.webhook,
    value: (
      <Link to="/webhooks/$id" params={{ id: webhook_id }}>
        {t.webhooks.one(webhook_id)}
      </Link>
    ),
  },
  {
    name: t.deliveries.event,
    value: (
      <CopiedId id={event_id}>
        <Link to="/events/$id" params={{ id: event_id }} aria-label={event_id}>
          <Id id={event_id} />
        </Link>
      </CopiedId>
    ),
  },
  { name: t.deliveries.attemptCount, value: formatNumber(attempt_count) },
  { name: t.deliveries.nextAttempt, value: next_attempt_at === null ? <None /> : <TimeUntil at={next_attempt_at} /> },
  { name: t.deliveries.created, value: <Time at={created_at} /> },
  { name: t.deliveries.completed, value: <Time at={completed_at} /> },
]

type Attempt = Delivery['attempts'][number]

function Attempts({ delivery: { attempts } }: { delivery: Delivery }) {
  return (
    <Section title={t.deliveries.attempts}>
      {attempts.length === 0 ? (
        <p>{t.deliveries.noAttempts}</p>
      ) : (
        <Table
          caption={t.deliveries.attempts}
          columns={COLUMNS}
          rows={attempts.toReversed()}
          rowKey={({ number, started_at }) => `${number} ${started_at}`}
        />
      )}
    </Section>
  )
}

const COLUMNS: Column<Attempt>[] = [
  { id: 'number', header: t.deliveries.number, isNumber: true, cell: ({ number }) => number },
  { id: 'at', header: t.deliveries.at, cell: ({ started_at }) => <Time at={started_at} /> },
  { id: 'trigger', header: t.deliveries.trigger, cell: ({ trigger }) => t.deliveries.triggers[trigger] },
  { id: 'ms', header: t.deliveries.duration, isNumber: true, cell: ({ duration_ms }) => formatNumber(duration_ms) },
  { id: 'status', header: t.deliveries.status, isNumber: true, cell: ({ response_status }) => <Value text={response_status} /> },
  { id: 'error', header: t.deliveries.error, isWide: true, cell: ({ error }) => <Value text={error} /> },
  { id: 'response', header: t.deliveries.response, isWide: true, cell: ({ response_body }) => <Response body={response_body} /> },
]

/** What the receiver responded, as text whatever it is. */
function Response({ body }: { body: string | null }) {
  if (body === null || body === '') return <None />
  return <pre className={styles.response}>{body}</pre>
}

function Body({ eventId }: { eventId: string }) {
  const query = useRead(['event', eventId], (api, options) => api.events.get(eventId, options), { keep: false })
  return (
    <Section title={t.events.body}>
      <Region query={query} missing={t.events.missing(eventId)}>
        {(event) => <JsonBody label={t.events.body} value={event} />}
      </Region>
    </Section>
  )
}
