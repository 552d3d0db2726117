import type { Order, OrdersTimelineParams, TimelineEntry } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { Select } from '../../kit/select.tsx'
import { Time } from '../../kit/time.tsx'
import styles from './timeline.module.css'
import { TimelineText } from './timeline-text.tsx'

type Kind = TimelineEntry['kind']

const KINDS = Object.keys(t.timeline.kinds) as Kind[]
const OPTIONS = [
  { value: 'all' as const, label: t.timeline.everything },
  ...KINDS.map((kind) => ({ value: kind, label: t.timeline.kinds[kind] })),
]

/** What happened to an order, oldest first, of every kind or of one. */
export function OrderTimeline({ order: { id } }: { order: Order }) {
  const [kind, setKind] = useState<Kind | 'all'>('all')
  return (
    <Section
      title={t.timeline.title}
      actions={<Select label={t.timeline.show} options={OPTIONS} value={kind} onChange={setKind} />}
    >
      <Pages key={kind} id={id} kind={kind} />
    </Section>
  )
}

/** The pages that were asked for, one below the other: entries are only added at the end. */
function Pages({ id, kind }: { id: number; kind: Kind | 'all' }) {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined])
  return cursors.map((cursor, index) => (
    <Page
      key={cursor ?? ''}
      id={id}
      params={{ ...(kind === 'all' ? {} : { kind: [kind] }), ...(cursor === undefined ? {} : { cursor }) }}
      onMore={index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined}
    />
  ))
}

interface PageProps {
  id: number
  params: OrdersTimelineParams
  /** Undefined where a later page is there already. */
  onMore: ((cursor: string) => void) | undefined
}

function Page({ id, params, onMore }: PageProps) {
  const query = useRead(['order', String(id), 'timeline', params], (api, options) => api.orders.timeline(id, params, options), {
    keep: false,
  })
  return (
    <Region query={query} rows={4}>
      {({ entries, omitted, next_cursor: next }) => (
        <>
          {entries.length === 0 && params.cursor === undefined && <p>{t.timeline.none}</p>}
          <Entries entries={entries} />
          {next !== null && onMore !== undefined && <Button onPress={() => onMore(next)}>{t.timeline.more}</Button>}
          {onMore !== undefined && omitted.length > 0 && (
            <p className={styles.hidden}>{t.timeline.hidden(omitted.map((kind) => t.timeline.kinds[kind]).join(', '))}</p>
          )}
        </>
      )}
    </Region>
  )
}

function Entries({ entries }: { entries: readonly TimelineEntry[] }) {
  return (
    <ol className={styles.entries} aria-label={t.timeline.title}>
      {entries.map((entry) => (
        <li key={entry.id}>
          <Time at={entry.at} />
          <Badge kind={isFailure(entry) ? 'bad' : 'muted'}>{t.timeline.kind[entry.kind]}</Badge>
          <p>
            <TimelineText entry={entry} />
          </p>
        </li>
      ))}
    </ol>
  )
}

const isFailure = (entry: TimelineEntry): boolean => entry.kind === 'call' && entry.data.error !== null
