import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Pages } from './pages.tsx'
import { Region } from './region.tsx'
import { Table, type TableProps } from './table.tsx'

export interface PagedTableProps<Data, Row> extends Pick<TableProps<Row>, 'caption' | 'columns' | 'rowKey'> {
  query: UseQueryResult<Data>
  rowsOf: (data: Data) => readonly Row[]
  /** "1,284 orders" */
  total: (number: number) => string
  /** What is shown when nothing matches. */
  empty: ReactNode
  /** Whether the screen has other lists with pages. */
  isOneOfSeveral?: boolean
  page: number
  onPage: (page: number | undefined) => void
}

/** A list of which the server counts the rows and sends one page. */
export function PagedTable<Data extends { pagination: { total: number; total_pages: number } }, Row>(
  props: PagedTableProps<Data, Row>,
) {
  const { query, rowsOf, total, empty, isOneOfSeveral = false, page, onPage, ...table } = props
  return (
    <Region query={query}>
      {(data) => (
        <>
          {data.pagination.total === 0 ? empty : <Table {...table} rows={rowsOf(data)} isStale={query.isPlaceholderData} />}
          <Pages
            total={total(data.pagination.total)}
            page={page}
            totalPages={data.pagination.total_pages}
            of={isOneOfSeveral ? table.caption : undefined}
            onPage={onPage}
          />
        </>
      )}
    </Region>
  )
}
