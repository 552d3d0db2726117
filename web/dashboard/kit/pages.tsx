import { type FormEvent, useEffect, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import styles from './pages.module.css'

export interface PagesProps {
  /** "1,284 orders" */
  total: string
  page: number
  totalPages: number
  /** Which list the pages are of, where the screen has several. */
  of?: string | undefined
  /** Undefined leads to the first page, which the address leaves out. */
  onPage: (page: number | undefined) => void
}

/** The exact total of a list, and the way to its other pages. */
export function Pages({ total, page, totalPages, of, onPage }: PagesProps) {
  const last = Math.max(totalPages, 1)
  const [typed, setTyped] = useState(String(page))
  useEffect(() => setTyped(String(page)), [page])
  const go = (wanted: number): void => onPage(wanted === 1 ? undefined : wanted)
  const open = (event: FormEvent): void => {
    event.preventDefault()
    const wanted = Math.trunc(Number(typed))
    if (wanted >= 1) go(Math.min(wanted, last))
  }
  return (
    <div className={styles.pages}>
      <p className={styles.total}>{total}</p>
      <nav aria-label={of === undefined ? t.pages.label : t.pages.labelOf(of)} className={styles.steps}>
        <Button kind="quiet" isDisabled={page <= 1} onPress={() => go(Math.min(page - 1, last))}>
          {t.pages.previous}
        </Button>
        <form onSubmit={open} className={styles.form}>
          <span className={styles.page}>
            <Field label={t.pages.page} isLabelHidden type="number" size="wide" value={typed} onChange={setTyped} />
          </span>
          <span className={styles.of}>{t.pages.of(last)}</span>
        </form>
        <Button kind="quiet" isDisabled={page >= last} onPress={() => go(page + 1)}>
          {t.pages.next}
        </Button>
      </nav>
    </div>
  )
}
