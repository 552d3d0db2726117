import { formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { type Column, Table } from './table.tsx'
import { Time } from './time.tsx'

/** Requests, and how many of them failed. */
export interface RequestCounts {
  requests: number
  client_errors: number
  limited: number
  server_errors: number
}

const NOTHING: RequestCounts = { requests: 0, client_errors: 0, limited: 0, server_errors: 0 }

export function sumOf(rows: readonly RequestCounts[]): RequestCounts {
  return rows.reduce<RequestCounts>(
    (sum, row) => ({
      requests: sum.requests + row.requests,
      client_errors: sum.client_errors + row.client_errors,
      limited: sum.limited + row.limited,
      server_errors: sum.server_errors + row.server_errors,
    }),
    NOTHING,
  )
}

/** The columns of counts, in every table of usage. */
export const COUNT_COLUMNS: Column<RequestCounts>[] = [
  { id: 'requests', header: t.usage.requests, isNumber: true, cell: ({ requests }) => formatNumber(requests) },
  { id: 'client', header: t.usage.clientErrors, isNumber: true, cell: (row) => formatNumber(row.client_errors) },
  { id: 'limited', header: t.usage.limited, isNumber: true, cell: ({ limited }) => formatNumber(limited) },
  { id: 'server', header: t.usage.serverErrors, isNumber: true, cell: (row) => formatNumber(row.server_errors) },
]

type Hour = RequestCounts & { at: string }

/** Requests by hour, newest first, whatever they called. */
export function UsageByHour({ hours }: { hours: readonly Hour[] }) {
  const byHour = Map.groupBy(hours, ({ at }) => at)
  const rows = [...byHour].map(([at, rows]): Hour => ({ at, ...sumOf(rows) })).toReversed()
  return <Table caption={t.usage.title} columns={HOUR_COLUMNS} rows={rows} rowKey={({ at }) => at} />
}

const HOUR_COLUMNS: Column<Hour>[] = [{ id: 'at', header: t.usage.hour, cell: ({ at }) => <Time at={at} /> }, ...COUNT_COLUMNS]

const DAY_MS = 86_400_000

/** A day ago, in whole hours, so that it stays the same for a while. */
export function aDayAgo(): string {
  return `${new Date(Date.now() - DAY_MS).toISOString().slice(0, 13)}:00:00Z`
}
