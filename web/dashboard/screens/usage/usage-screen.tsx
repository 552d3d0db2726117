import type { UsageHour } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Combo } from '../../kit/combo.tsx'
import { DayFilter } from '../../kit/filter-field.tsx'
import { Filters } from '../../kit/filters.tsx'
import { KeyCombo, useKeyName } from '../../kit/key-combo.tsx'
import { PagedList } from '../../kit/paged-list.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time } from '../../kit/time.tsx'
import { aDayAgo, COUNT_COLUMNS, sumOf } from '../../kit/usage-table.tsx'
import { type Filter, filterBy, isFiltered } from '../../search-parameters.ts'
import { UsageCharts } from './usage-charts.tsx'
import type { UsageSearch } from './usage-search.ts'

const LIMIT = 50

/** Requests with API keys by hour, key and operation, newest first. */
export function UsageScreen() {
  const search = useSearch({ from: '/frame/usage' })
  const navigate = useNavigate({ from: '/usage' })
  const { page = 1, operation, ...filters } = search
  const filter = filterBy(navigate)
  const range = { ...filters, since: filters.since ?? aDayAgo() }
  // The hours of the range before stay while others are read: the charts must not draw them over the new range. So this is not what other screens read.
  const query = useRead(
    ['usage', 'with range', range],
    async (api, options) => ({ ...(await api.reports.usage(range, options)), range }),
    {
      isMain: true,
    },
  )
  return (
    <Screen title={t.usage.title}>
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <UsageFilters search={search} operations={operationsOf(query.data?.hours ?? [])} filter={filter} />
      </Filters>
      <Region query={query}>
        {({ hours, range: { since, until } }) => {
          const rows = hours.filter((row) => operation === undefined || row.operation === operation).toReversed()
          const empty = <Empty text={isFiltered(search) ? t.usage.noMatch : t.usage.none} />
          return (
            <>
              {rows.length > 0 && <UsageCharts hours={rows} since={since} until={until} />}
              <UsageRows
                rows={rows}
                empty={empty}
                page={page}
                isStale={query.isPlaceholderData}
                onPage={(next) => filter({ page: next })}
              />
            </>
          )
        }}
      </Region>
    </Screen>
  )
}

interface RowsProps {
  rows: readonly UsageHour[]
  empty: ReactNode
  page: number
  isStale: boolean
  onPage: (page: number | undefined) => void
}

function UsageRows({ rows, empty, page, isStale, onPage }: RowsProps) {
  const { requests, client_errors, limited, server_errors } = sumOf(rows)
  const pagination = { total: rows.length, total_pages: Math.ceil(rows.length / LIMIT) }
  return (
    <PagedList pagination={pagination} total={t.usage.total} empty={empty} page={page} onPage={onPage}>
      <p>{t.usage.shares(requests, { client: client_errors, limited, server: server_errors })}</p>
      <Table
        caption={t.usage.title}
        columns={COLUMNS}
        rows={rows.slice((page - 1) * LIMIT, page * LIMIT)}
        rowKey={({ at, key_id, operation }) => `${at} ${key_id} ${operation}`}
        isStale={isStale}
      />
    </PagedList>
  )
}

interface FiltersProps {
  search: UsageSearch
  operations: readonly string[]
  filter: Filter<UsageSearch>
}

function UsageFilters({ search, operations, filter }: FiltersProps) {
  return (
    <>
      <Combo
        label={t.usage.operation}
        value={search.operation ?? ''}
        options={operations.map((operation) => ({ id: operation, label: operation }))}
        size="narrow"
        onChoose={({ id }) => filter({ operation: id })}
        onText={(typed) => filter({ operation: typed === '' ? undefined : typed })}
      />
      <KeyCombo keyId={search.key_id} onKey={(key_id) => filter({ key_id })} />
      <DayFilter label={t.usage.since} value={search.since} onFilter={(since, isMore) => filter({ since }, isMore)} />
      <DayFilter label={t.usage.until} value={search.until} onFilter={(until, isMore) => filter({ until }, isMore)} />
    </>
  )
}

function KeyLink({ id }: { id: number }) {
  const nameOf = useKeyName()
  return (
    <Link to="/keys/$id" params={{ id: String(id) }}>
      {nameOf(id)}
    </Link>
  )
}

const operationsOf = (hours: readonly UsageHour[]): string[] => [...new Set(hours.map(({ operation }) => operation))].toSorted()

const COLUMNS: Column<UsageHour>[] = [
  { id: 'at', header: t.usage.hour, cell: ({ at }) => <Time at={at} /> },
  { id: 'key', header: t.audit.key, cell: ({ key_id }) => <KeyLink id={key_id} /> },
  { id: 'operation', header: t.usage.operation, cell: ({ operation }) => operation },
  ...COUNT_COLUMNS,
]
