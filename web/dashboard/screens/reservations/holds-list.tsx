import type { Hold } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { FilterField } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { OptionFilter } from '../../kit/option-filter.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { filterBy } from '../../search-parameters.ts'
import { holdColumns } from './hold-columns.tsx'
import { ReleaseHold } from './release-hold.tsx'
import { HOLD_STATES } from './reservations-search.ts'

const LIMIT = 50
/** Carts come and go by the minute. */
const EVERY_MS = 10_000

/** Stock that is kept for carts, newest first. */
export function HoldsList() {
  const { state, reference, page = 1 } = useSearch({ from: '/frame/reservations' })
  const navigate = useNavigate({ from: '/reservations' })
  const filter = filterBy(navigate)
  const query = useRead(
    ['holds', state, reference, page],
    (api, options) => api.holds.list({ state, reference, page, limit: LIMIT }, options),
    { isMain: true, everyMs: EVERY_MS },
  )
  const [released, setReleased] = useState<Hold>()
  const { nameOf } = useWarehouses()
  const isSet = state !== undefined || reference !== undefined
  return (
    <>
      <Filters isSet={isSet} onClear={() => void navigate({ search: { show: 'holds' } })}>
        <FilterField
          label={t.holds.reference}
          value={reference}
          onFilter={(text, isMore) => filter({ reference: text }, isMore)}
        />
        <OptionFilter
          label={t.holds.state}
          any={t.holds.anyState}
          values={HOLD_STATES}
          labelOf={(each) => t.holds.states[each]}
          value={state}
          onFilter={(chosen) => filter({ state: chosen })}
        />
      </Filters>
      <PagedTable
        query={query}
        caption={t.reservations.lists.holds}
        columns={holdColumns(nameOf, setReleased)}
        rowsOf={({ holds }) => holds}
        rowKey={({ id }) => id}
        news={{ list: JSON.stringify([state, reference, page]), text: t.holds.more }}
        total={t.holds.total}
        empty={<Empty text={isSet ? t.holds.noMatch : t.holds.none} />}
        page={page}
        onPage={(next) => filter({ page: next })}
      />
      {released !== undefined && <ReleaseHold hold={released} onClose={() => setReleased(undefined)} />}
    </>
  )
}
