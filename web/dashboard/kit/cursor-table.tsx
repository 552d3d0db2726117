import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { useHeldRows } from '../data/use-held-rows.ts'
import { Button } from './button.tsx'
import { CursorPages } from './cursor-pages.tsx'
import { NewRows } from './new-rows.tsx'
import type { News } from './paged-table.tsx'
import { Empty, Region } from './region.tsx'
import { Table, type TableProps } from './table.tsx'

interface Continued {
  next_cursor: string | null
}

export interface CursorTableProps<Data, Row> extends Pick<TableProps<Row>, 'caption' | 'columns' | 'rowKey'> {
  query: UseQueryResult<Data>
  rowsOf: (data: Data) => readonly Row[]
  /** Rows of a full page. */
  limit: number
  news: News
  /** "50 events on this page" */
  count: (rows: number) => string
  empty: ReactNode
  /** What this page continues after; undefined for the first page. */
  cursor: string | undefined
  onPage: (cursor: string | undefined) => void
  /** The cursor after a row, where it can be told: while new rows wait, the next page follows what is on screen. */
  cursorAfter?: (row: Row) => string
}

/** A feed, newest first, that has cursors instead of page numbers. New rows wait until they are asked for. */
export function CursorTable<Data extends Continued, Row>(props: CursorTableProps<Data, Row>) {
  const { query, rowsOf, limit, news, count, empty, cursor, onPage, cursorAfter, ...table } = props
  const { rows, newCount, release } = useHeldRows({
    list: news.list,
    latest: query.data === undefined || query.isPlaceholderData ? undefined : rowsOf(query.data),
    idOf: (row) => String(table.rowKey(row)),
    limit,
    isHeld: true,
  })
  const last = newCount === 0 ? undefined : rows.at(-1)
  const after = last === undefined ? undefined : cursorAfter?.(last)
  return (
    <>
      <NewRows text={newCount === 0 ? undefined : news.text(newCount, newCount < limit)} onShow={release} />
      <Region query={query}>
        {({ next_cursor }) => (
          <>
            {rows.length > 0 || next_cursor !== null ? (
              <Table {...table} rows={rows} isStale={query.isPlaceholderData} />
            ) : (
              (cursor === undefined && empty) || <PastTheEnd onFirst={() => onPage(undefined)} />
            )}
            <CursorPages count={count(rows.length)} cursor={cursor} next={after ?? next_cursor} onPage={onPage} />
          </>
        )}
      </Region>
    </>
  )
}

function PastTheEnd({ onFirst }: { onFirst: () => void }) {
  return (
    <Empty text={t.pages.nothing}>
      <Button onPress={onFirst}>{t.pages.first}</Button>
    </Empty>
  )
}
