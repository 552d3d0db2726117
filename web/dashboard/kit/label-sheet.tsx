import { isCode128 } from '../../shared/symbols.ts'
import { t } from '../../shared/texts/texts.ts'
import { SymbolImage } from './symbol-image.tsx'
import styles from './symbol.module.css'

export interface Label {
  /** What a scanner reads. */
  code: string
  /** What people read; the code if there is nothing better. */
  title?: string
  note?: string | null
}

/** Labels to print: each a Code 128 and its text. */
export function LabelSheet({ labels }: { labels: readonly Label[] }) {
  return (
    <ul className={styles.sheet}>
      {labels.map(({ code, title = code, note = null }) => (
        <li key={code} className={styles.label}>
          {isCode128(code) ? (
            <SymbolImage kind="code128" text={code} label={t.symbols.barcodeOf(code)} />
          ) : (
            <p className={styles.note}>{t.labels.notEncodable}</p>
          )}
          <strong>{title}</strong>
          {note !== null && <span className={styles.note}>{note}</span>}
        </li>
      ))}
    </ul>
  )
}
