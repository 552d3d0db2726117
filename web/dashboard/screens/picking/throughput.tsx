import type { PickingRow } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { firstOfDays } from '../../charts/time-steps.ts'
import { UnitsPicked } from '../../charts/units-picked.tsx'
import { useRead } from '../../data/use-read.ts'
import { RadioGroup } from '../../kit/choices.tsx'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None } from '../../kit/time.tsx'

const texts = t.charts.picking
const PERIODS = ['1', '7', '30'] as const
type Period = (typeof PERIODS)[number]

/** What was picked over time and by whom, of today or of some days. */
export function Throughput() {
  const [period, setPeriod] = useState<Period>('1')
  const options = PERIODS.map((value) => ({ value, label: texts.periods[value] }))
  return (
    <Section
      title={texts.title}
      actions={
        <RadioGroup label={t.charts.period} isLabelHidden isSegmented options={options} value={period} onChange={setPeriod} />
      }
    >
      <UnitsPicked days={Number(period)} />
      <Operators days={Number(period)} />
    </Section>
  )
}

function Operators({ days }: { days: number }) {
  const since = firstOfDays(days)
  const query = useRead(['flows', 'report', 'operator', since], (api, options) =>
    api.reports.picking({ since, by: 'operator' }, options),
  )
  return (
    <Region query={query} rows={3}>
      {({ rows }) => {
        const most = Math.max(0, ...rows.map(({ units }) => units))
        return rows.length === 0 ? (
          <Empty text={texts.none} />
        ) : (
          <Table
            caption={texts.byOperator}
            columns={columnsOf(most)}
            rows={rows}
            rowKey={({ operator_email = '' }) => operator_email}
          />
        )
      }}
    </Region>
  )
}

const columnsOf = (most: number): Column<PickingRow>[] => [
  { id: 'operator', header: texts.operator, isWide: true, cell: ({ operator_email }) => operator_email },
  {
    id: 'bar',
    header: texts.compared,
    cell: ({ operator_email = '', units }) => <ProgressBar label={texts.bar(operator_email)} value={units} max={most} />,
  },
  { id: 'units', header: texts.units, isNumber: true, cell: ({ units }) => formatNumber(units) },
  { id: 'picks', header: texts.picks, isNumber: true, cell: ({ picks }) => formatNumber(picks) },
  { id: 'flows', header: texts.flows, isNumber: true, cell: ({ flows }) => formatNumber(flows) },
  {
    id: 'rate',
    header: texts.unitsAnHour,
    isNumber: true,
    // Of completed flows alone the time is known.
    cell: ({ units, seconds }) => (seconds > 0 ? formatNumber(Math.round((units / seconds) * 36_000) / 10) : <None />),
  },
]
