import { lazy, Suspense } from 'react'
import { t } from '../../shared/texts/texts.ts'
import styles from './symbol.module.css'

// The library that draws it is large.
const SymbolImage = lazy(async () => ({ default: (await import('./symbol-image.tsx')).SymbolImage }))

export interface Label {
  /** Different for each label: several locations may have one code. */
  id: string
  /** What a scanner reads. */
  code: string
  /** What people read; the code if there is nothing better. */
  title?: string
  note?: string | null
}

/** Labels to print: each a Code 128 and its text. */
export function LabelSheet({ labels }: { labels: readonly Label[] }) {
  return (
    <Suspense fallback={<div aria-busy="true" className={styles.waiting} />}>
      <ul className={styles.sheet}>
        {labels.map(({ id, code, title = code, note = null }) => (
          <li key={id} className={styles.label}>
            {isEncodable(code) ? (
              <SymbolImage kind="code128" text={code} label={t.symbols.barcodeOf(code)} />
            ) : (
              <p className={styles.note}>{t.labels.notEncodable}</p>
            )}
            <strong>{title}</strong>
            {note !== null && <span className={styles.note}>{note}</span>}
          </li>
        ))}
      </ul>
    </Suspense>
  )
}

/** Whether every scanner reads a Code 128 of this text as it is. It has more characters, but scanners differ in what they make of them. */
const isEncodable = (text: string): boolean => /^[ -~]+$/.test(text)
