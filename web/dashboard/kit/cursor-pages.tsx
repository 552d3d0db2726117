import { useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import styles from './pages.module.css'

export interface CursorPagesProps {
  /** "50 events on this page" */
  count: string
  /** What this page continues after; undefined for the first page. */
  cursor: string | undefined
  /** What the next page continues after; null at the end. */
  next: string | null
  onPage: (cursor: string | undefined) => void
}

/** The way through a list that has cursors instead of page numbers. */
export function CursorPages({ count, cursor, next, onPage }: CursorPagesProps) {
  const [visited, setVisited] = useState<readonly string[]>([])
  const position = cursor === undefined ? -1 : visited.indexOf(cursor)
  const goOn = (): void => {
    if (next === null) return
    setVisited([...(position === -1 && cursor !== undefined ? [cursor] : visited.slice(0, position + 1)), next])
    onPage(next)
  }
  return (
    <div className={styles.pages}>
      <p className={styles.total}>{count}</p>
      <nav aria-label={t.pages.label} className={styles.steps}>
        <Button kind="quiet" isDisabled={cursor === undefined} onPress={() => onPage(visited[position - 1])}>
          {t.pages.previous}
        </Button>
        <Button kind="quiet" isDisabled={next === null} onPress={goOn}>
          {t.pages.next}
        </Button>
      </nav>
    </div>
  )
}
