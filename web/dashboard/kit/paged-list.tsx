import type { ReactNode } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { Pages } from './pages.tsx'
import { Empty } from './region.tsx'

/** What the server counted. */
export interface Counted {
  total: number
  total_pages: number
}

export interface PagedListProps {
  pagination: Counted
  /** Whether rows stay on screen that the list does not have any more. */
  hasKept?: boolean
  /** "1,284 orders" */
  total: (number: number) => string
  /** What is shown when nothing matches. */
  empty: ReactNode
  /** Which list the pages are of, where the screen has several. */
  of?: string | undefined
  page: number
  /** Undefined leads to the first page, which the address leaves out. */
  onPage: (page: number | undefined) => void
  /** The rows of the page. */
  children: ReactNode
}

/** One page of a list, the exact total and the way to the other pages. A page that there is not leads to the last one. */
export function PagedList({
  pagination: { total: rows, total_pages },
  hasKept = false,
  total,
  empty,
  of,
  page,
  onPage,
  children,
}: PagedListProps) {
  const isEmpty = rows === 0 && !hasKept
  const isPast = rows > 0 && page > total_pages && !hasKept
  // Beside other lists, an empty one needs no more than its sentence.
  const hasPages = of === undefined || rows > 0 || page > 1
  return (
    <>
      {isEmpty && empty}
      {isPast && (
        <Empty text={t.pages.past(page, total_pages)}>
          <Button onPress={() => onPage(total_pages === 1 ? undefined : total_pages)}>{t.pages.last}</Button>
        </Empty>
      )}
      {!isEmpty && !isPast && children}
      {hasPages && <Pages total={total(rows)} page={page} totalPages={total_pages} of={of} onPage={onPage} />}
    </>
  )
}
