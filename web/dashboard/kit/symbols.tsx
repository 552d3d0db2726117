import { lazy, Suspense } from 'react'
import { t } from '../../shared/texts/texts.ts'
import styles from './symbol.module.css'

const SymbolImage = lazy(async () => ({ default: (await import('./symbol-image.tsx')).SymbolImage }))

/** A text as QR code and as Code 128: cameras read the one best, scanners of a line the other. */
export function Symbols({ text }: { text: string }) {
  return (
    <Suspense fallback={<div aria-busy="true" className={styles.waiting} />}>
      <div className={styles.symbols}>
        <SymbolImage kind="qr" text={text} label={t.symbols.qr} />
        <SymbolImage kind="code128" text={text} label={t.symbols.barcode} />
      </div>
    </Suspense>
  )
}
