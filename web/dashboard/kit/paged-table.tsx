import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { pointedList } from '../data/pointed-list.ts'
import { useStore } from '../data/store.ts'
import { useHeldRows } from '../data/use-held-rows.ts'
import { NewRows } from './new-rows.tsx'
import { type Counted, PagedList, type PagedListProps } from './paged-list.tsx'
import { PointedArea } from './pointed-area.tsx'
import { Region } from './region.tsx'
import { Table, type TableProps } from './table.tsx'

/** How a list shows that it has new rows. */
export interface News {
  /** Names the list: other filters or another page are another list, which is shown at once. */
  list: string
  /** "3 new orders", "50 or more new orders" */
  text: (rows: number, isAll: boolean) => string
}

type Shown<Row> = Pick<TableProps<Row>, 'caption' | 'columns' | 'rowKey'> &
  Pick<PagedListProps, 'total' | 'empty' | 'page' | 'onPage'>

export interface PagedTableProps<Data, Row> extends Shown<Row> {
  query: UseQueryResult<Data>
  rowsOf: (data: Data) => readonly Row[]
  /** Whether the screen has other lists with pages. */
  isOneOfSeveral?: boolean
  /** For a list whose new rows move others, in it or below it: while the pointer is over a list, they wait until they are asked for. */
  news?: News
}

/** A list of which the server counts the rows and sends one page. */
export function PagedTable<Data extends { pagination: Counted & { limit: number } }, Row>(props: PagedTableProps<Data, Row>) {
  const { query, rowsOf, total, empty, isOneOfSeveral = false, news, page, onPage, ...table } = props
  const pointed = useStore(pointedList)
  const [isShowFocused, setShowFocused] = useState(false)
  const limit = query.data?.pagination.limit ?? 0
  const latest = news === undefined || query.data === undefined || query.isPlaceholderData ? undefined : rowsOf(query.data)
  const { rows, newCount, release } = useHeldRows({
    list: news?.list ?? '',
    latest,
    idOf: (row) => String(table.rowKey(row)),
    limit,
    isHeld: pointed?.isOver === true,
    isKept: pointed !== undefined || isShowFocused,
  })
  return (
    <>
      {news !== undefined && (
        <NewRows
          text={newCount === 0 ? undefined : news.text(newCount, newCount < limit)}
          onShow={release}
          onFocusChange={setShowFocused}
        />
      )}
      <Region query={query}>
        {(data) => (
          <PagedList
            {...{ total, empty, page, onPage }}
            pagination={data.pagination}
            of={isOneOfSeveral ? table.caption : undefined}
          >
            <PointedArea>
              <Table {...table} rows={news === undefined ? rowsOf(data) : rows} isStale={query.isPlaceholderData} />
            </PointedArea>
          </PagedList>
        )}
      </Region>
    </>
  )
}
