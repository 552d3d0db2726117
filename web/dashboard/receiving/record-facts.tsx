import { t } from '../../shared/texts/texts.ts'
import { Facts, type FactsProps } from '../kit/screen.tsx'
import { Day, None, Time, Value } from '../kit/time.tsx'
import { useWarehouses } from '../kit/use-warehouses.ts'
import type { Receivable } from './kind.ts'

interface RecordFactsProps {
  record: Receivable
  /** What records of its kind alone have. They come first. */
  own: FactsProps['facts']
}

/** What is known of a delivery or return besides its lines. */
export function RecordFacts({ record, own }: RecordFactsProps) {
  const { nameOf } = useWarehouses()
  const { expected_at, closed_at, cancelled_at } = record
  const facts = [
    ...own,
    { name: t.receiving.expectedAt, value: expected_at === null ? <None /> : <Day date={expected_at} /> },
    { name: t.receiving.warehouse, value: nameOf(record.warehouse_id) },
    { name: t.receiving.note, value: <Value text={record.note} /> },
    { name: t.receiving.allowOver, value: record.allow_over ? t.receiving.yes : t.receiving.no },
    { name: t.orders.created, value: <Time at={record.created_at} /> },
    { name: t.receiving.createdBy, value: record.created_by },
    ...(closed_at === null ? [] : [{ name: t.receiving.closedAt, value: <Time at={closed_at} /> }]),
    ...(cancelled_at === null ? [] : cancellationOf(record)),
  ]
  return <Facts facts={facts} />
}

/** When and why a record was cancelled. */
export const cancellationOf = (record: { cancelled_at: string | null; cancellation_reason: string | null }) => [
  { name: t.picking.cancelled, value: <Time at={record.cancelled_at} /> },
  { name: t.receiving.cancellationReason, value: <Value text={record.cancellation_reason} /> },
]
