import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isFiltered } from '../search-parameters.ts'
import { Filters } from './filters.tsx'
import type { Counted } from './paged-list.tsx'
import { PagedTable } from './paged-table.tsx'
import { Empty } from './region.tsx'
import { Screen } from './screen.tsx'
import type { Column } from './table.tsx'

/** What a list says of its records. */
interface ListTexts {
  /** While there are none. */
  none: string
  /** While the filters match none. */
  noMatch: string
  /** "1,284 orders" */
  total: (number: number) => string
  /** "3 new orders", "50 or more new orders" */
  more: (rows: number, isAll: boolean) => string
}

export interface ListScreenProps<Data, Row> {
  title: string
  texts: ListTexts
  /** The address: the filters that are set, and the page. */
  search: { page?: number | undefined }
  /** The fields of the filters. */
  children: ReactNode
  onClear: () => void
  onPage: (page: number | undefined) => void
  query: UseQueryResult<Data>
  rowsOf: (data: Data) => readonly Row[]
  columns: readonly Column<Row>[]
  /** What can be done with the list, also while it has no records. */
  actions?: ReactNode
  /** The button that downloads the records. While there are none it is absent. */
  exportButton?: ReactNode
  /** The button that makes a record. While there are none it is below the sentence that says so. */
  newButton?: ReactNode
}

/** A screen that is a list of records with filters, newest first. */
export function ListScreen<Data extends { pagination: Counted & { limit: number } }, Row extends { id: number | string }>(
  props: ListScreenProps<Data, Row>,
) {
  const { title, texts, search, children, onClear, onPage, actions, exportButton, newButton, ...table } = props
  const hasFilters = isFiltered(search)
  const hasNone = table.query.data?.pagination.total === 0 && !hasFilters
  return (
    <Screen
      title={title}
      actions={
        <>
          {actions}
          {!hasNone && exportButton}
          {!hasNone && newButton}
        </>
      }
    >
      <Filters isSet={hasFilters} onClear={onClear}>
        {children}
      </Filters>
      <PagedTable
        {...table}
        caption={title}
        rowKey={({ id }) => id}
        news={{ list: JSON.stringify(search), text: texts.more }}
        total={texts.total}
        empty={hasFilters ? <Empty text={texts.noMatch} /> : <Empty text={texts.none}>{newButton}</Empty>}
        page={search.page ?? 1}
        onPage={onPage}
      />
    </Screen>
  )
}
