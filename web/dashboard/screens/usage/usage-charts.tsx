import type { UsageHour } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import type { Series } from '../../charts/chart-data.ts'
import { Chart } from '../../charts/chart.tsx'
import { DAY_MS, dayOf, pointOf, type Step, stepsSince } from '../../charts/time-steps.ts'
import { useKeyName } from '../../kit/key-combo.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { type RequestCounts, COUNT_COLUMNS, sumOf } from '../../kit/usage-table.tsx'

const texts = t.charts.usage
const TOP = 5
/** Beyond, a chart by the hour has too many bars. */
const MAX_HOURLY_MS = 8 * DAY_MS

const SERIES: Series[] = [
  { id: 'fine', label: texts.fine, tone: 'ok', pattern: 'solid' },
  { id: 'client', label: t.usage.clientErrors, tone: 'warn', pattern: 'rising' },
  { id: 'limited', label: t.usage.limited, tone: 'state2', pattern: 'dots' },
  { id: 'server', label: t.usage.serverErrors, tone: 'bad', pattern: 'grid' },
]

interface ChartsProps {
  hours: readonly UsageHour[]
  since: string
  until: string | undefined
}

/** Requests by their result over time, and what is called most and by whom. */
export function UsageCharts({ hours, since, until }: ChartsProps) {
  const end = Math.min(until === undefined ? Date.now() : endOf(until), Date.now())
  const step: Step = end - Date.parse(since) > MAX_HOURLY_MS ? 'day' : 'hour'
  const byStep = Map.groupBy(hours, ({ at }) => (step === 'hour' ? at : dayOf(at)))
  const days = Math.floor((end - Date.parse(since)) / DAY_MS)
  const points = stepsSince(step, since, end).map((at) =>
    pointOf(step, at, partsOf(sumOf(byStep.get(step === 'hour' ? at : dayOf(at)) ?? [])), days),
  )
  const total = sumOf(hours)
  const nameOf = useKeyName()
  return (
    <>
      <Chart
        name={texts.name(total.requests, t.charts.share(partsOf(total)[0] ?? 0, total.requests))}
        title={texts.title}
        pointHeader={step === 'hour' ? t.charts.hour : t.charts.day}
        data={{ kind: 'bars', series: SERIES, points }}
      />
      <Top title={texts.top} header={t.usage.operation} rows={topOf(hours, ({ operation }) => operation)} nameOf={String} />
      <Top title={texts.topKeys} header={t.audit.key} rows={topOf(hours, ({ key_id }) => key_id)} nameOf={nameOf} />
    </>
  )
}

const endOf = (until: string): number => Date.parse(until) + (until.length === 'YYYY-MM-DD'.length ? DAY_MS - 1 : 0)

/** Requests without an error, and those with one, by class. */
const partsOf = ({ requests, client_errors: client, limited, server_errors: server }: RequestCounts): number[] => [
  requests - client - limited - server,
  client,
  limited,
  server,
]

/** Of an operation, or of the key with this id. */
type TopRow<Id> = RequestCounts & { id: Id }

function topOf<Id>(hours: readonly UsageHour[], idOf: (hour: UsageHour) => Id): TopRow<Id>[] {
  return [...Map.groupBy(hours, idOf)]
    .map(([id, rows]): TopRow<Id> => ({ id, ...sumOf(rows) }))
    .toSorted((a, b) => b.requests - a.requests)
    .slice(0, TOP)
}

interface TopProps<Id> {
  title: string
  header: string
  rows: readonly TopRow<Id>[]
  nameOf: (id: Id) => string
}

function Top<Id extends string | number>({ title, header, rows, nameOf }: TopProps<Id>) {
  const columns: Column<TopRow<Id>>[] = [{ id: 'name', header, isWide: true, cell: ({ id }) => nameOf(id) }, ...COUNT_COLUMNS]
  return <Table caption={title} isCaptionShown columns={columns} rows={rows} rowKey={({ id }) => id} />
}
