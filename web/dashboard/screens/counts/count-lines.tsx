import type { Count, CountLine } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useState } from 'react'
import { formatChange, formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { RadioGroup } from '../../kit/choices.tsx'
import { ProductLink } from '../../kit/record-link.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Stacked, Table } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { CountField } from './count-field.tsx'
import styles from './counts.module.css'

interface CountLinesProps {
  count: Count
  /** Why approval was refused for a line. */
  problemOf: (line: CountLine) => string | undefined
}

const SHOWN = {
  all: () => true,
  open: ({ counted_quantity }: CountLine) => counted_quantity === null,
  different: ({ variance }: CountLine) => variance !== null && variance !== 0,
}

/** The lines of a count. While counting, each takes what lies there: Enter saves it and goes on to the next. */
export function CountLines({ count, problemOf }: CountLinesProps) {
  const { show = 'all' } = useSearch({ from: '/frame/counts/$id' })
  const navigate = useNavigate({ from: '/counts/$id' })
  const [typedIn, setTypedIn] = useState<ReadonlySet<number>>(new Set())
  const onTyped = useCallback(
    (id: number, isTyped: boolean): void =>
      setTypedIn((before) => new Set(isTyped ? [...before, id] : [...before].filter((other) => other !== id))),
    [],
  )
  // A line with text that is not saved stays, also when somebody else has counted it.
  const lines = count.lines.filter((line) => SHOWN[show](line) || problemOf(line) !== undefined || typedIn.has(line.id))
  return (
    <Section
      title={t.orders.linesTitle}
      actions={
        <RadioGroup
          label={t.reservations.show}
          isLabelHidden
          isSegmented
          options={OPTIONS}
          value={show}
          onChange={(chosen) => void navigate({ search: { show: chosen === 'all' ? undefined : chosen } })}
        />
      }
    >
      <Table
        caption={t.orders.linesTitle}
        columns={columnsOf({ count, problemOf, typedIn, onTyped })}
        rows={lines}
        rowKey={({ id }) => id}
        isMarked={(line) => problemOf(line) !== undefined}
      />
      <p>{t.counts.shown(lines.length, count.lines.length)}</p>
    </Section>
  )
}

const OPTIONS = (['all', 'open', 'different'] as const).map((value) => ({ value, label: t.counts.shows[value] }))

interface Lines extends CountLinesProps {
  /** The lines whose field has text that is not saved. */
  typedIn: ReadonlySet<number>
  /** Is told whether a line's field has text that is not saved. */
  onTyped: (lineId: number, isTyped: boolean) => void
}

function columnsOf({ count, problemOf, typedIn, onTyped }: Lines): Column<CountLine>[] {
  const hasOperators = count.lines.some(({ operator_id }) => operator_id !== null)
  return [
    {
      id: 'product',
      header: t.orders.product,
      isWide: true,
      cell: ({ product_id, product_name, sku, barcode }) => (
        <Stacked below={sku ?? barcode}>
          <ProductLink id={product_id}>{product_name}</ProductLink>
        </Stacked>
      ),
    },
    { id: 'location', header: t.stock.location, cell: ({ location_id, location_code }) => location_code ?? location_id },
    {
      id: 'expected',
      header: t.counts.expected,
      isNumber: true,
      cell: ({ expected_quantity }) => numberOrNone(expected_quantity),
    },
    {
      id: 'counted',
      header: t.counts.counted,
      isNumber: true,
      cell: (line) => (
        <CountedCell
          count={count}
          line={line}
          problem={problemOf(line)}
          // What is typed stays when somebody else submits the count.
          isField={count.state === 'counting' || typedIn.has(line.id)}
          onTyped={onTyped}
        />
      ),
    },
    {
      id: 'variance',
      header: t.counts.variance,
      isNumber: true,
      cell: ({ variance }) => (variance === null ? <None /> : formatChange(variance)),
    },
    { id: 'at', header: t.counts.countedAt, cell: ({ counted_at }) => <Time at={counted_at} /> },
    ...(hasOperators ? [OPERATOR] : []),
  ]
}

const OPERATOR: Column<CountLine> = {
  id: 'operator',
  header: t.counts.operator,
  isNumber: true,
  cell: ({ operator_id }) => <Value text={operator_id} />,
}

const numberOrNone = (quantity: number | null) => (quantity === null ? <None /> : formatNumber(quantity))

interface CountedCellProps extends Pick<Lines, 'count' | 'onTyped'> {
  line: CountLine
  problem: string | undefined
  isField: boolean
}

function CountedCell({ count, line, problem, isField, onTyped }: CountedCellProps) {
  return (
    <span className={styles.counted}>
      {isField ? (
        <CountField count={count} line={line} isAsked={problem !== undefined} onTyped={onTyped} />
      ) : (
        numberOrNone(line.counted_quantity)
      )}
      {problem !== undefined && <span className={styles.problem}>{problem}</span>}
    </span>
  )
}
