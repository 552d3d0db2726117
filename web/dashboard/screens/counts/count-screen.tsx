import type { Count, CountLine } from '@fulfillment/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isolated } from '../../../shared/texts/isolated.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Region } from '../../kit/region.tsx'
import { Facts, Screen } from '../../kit/screen.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { cancellationOf } from '../../receiving/record-facts.tsx'
import { CountActions } from './count-actions.tsx'
import { CountLines } from './count-lines.tsx'
import { CountState } from './count-state.tsx'
import { problemAt, type Refusal } from './refusal.ts'

/** One count: its lines with what was counted, and what approval would post. */
export function CountScreen() {
  const { id } = useParams({ from: '/frame/counts/$id' })
  const query = useRead(['count', id], (api, options) => api.counts.get(Number(id), options), {
    isMain: true,
    keep: false,
    isPending: ({ state }) => state === 'counting' || state === 'review',
  })
  const [refusal, setRefusal] = useState<Refusal>()
  const count = query.data
  const problemOf = (line: CountLine): string | undefined => problemAt(refusal, line)
  return (
    <Screen
      title={t.counts.one(count?.reference ?? id)}
      mark={count && <CountState state={count.state} />}
      actions={count && <CountActions count={count} onRefused={setRefusal} />}
    >
      <Region query={query} missing={t.counts.missing(id)}>
        {(loaded) => (
          <>
            <CountFacts count={loaded} />
            {loaded.lines.some((line) => problemOf(line) !== undefined) && <p role="alert">{t.counts.refused}</p>}
            <CountLines count={loaded} problemOf={problemOf} />
          </>
        )}
      </Region>
    </Screen>
  )
}

function CountFacts({ count }: { count: Count }) {
  const { nameOf } = useWarehouses()
  const { location_ids, product_ids, lines, approved_at } = count
  const productName = (id: number): string =>
    isolated(lines.find(({ product_id }) => product_id === id)?.product_name ?? String(id))
  const facts = [
    { name: t.locations.warehouse, value: nameOf(count.warehouse_id) },
    { name: t.counts.locations, value: location_ids?.map(isolated).join(', ') ?? t.counts.all },
    { name: t.counts.products, value: product_ids?.map(productName).join(', ') ?? t.counts.all },
    { name: t.counts.blind, value: count.blind ? t.counts.yes : t.counts.no },
    { name: t.counts.counted, value: t.counts.countedOf(String(count.lines_counted), String(count.lines_total)) },
    { name: t.counts.different, value: count.lines_different ?? <None /> },
    { name: t.receiving.note, value: <Value text={count.note} /> },
    { name: t.orders.created, value: <Time at={count.created_at} /> },
    { name: t.receiving.createdBy, value: count.created_by },
    ...(approved_at === null ? [] : [{ name: t.counts.approvedAt, value: <Time at={approved_at} /> }]),
    ...(count.cancelled_at === null ? [] : cancellationOf(count)),
  ]
  return <Facts facts={facts} />
}
