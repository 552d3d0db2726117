import { useMemo } from 'react'
import { type SymbolKind, symbolUrl } from '../../shared/symbols.ts'
import styles from './symbol.module.css'

export interface SymbolImageProps {
  kind: SymbolKind
  /** What a scanner reads. */
  text: string
  /** Its accessible name. */
  label: string
}

/** A symbol that scanners read. Load it on demand: the library that draws it is large. */
export function SymbolImage({ kind, text, label }: SymbolImageProps) {
  const url = useMemo(() => symbolUrl(kind, text), [kind, text])
  return <img src={url} alt={label} className={styles.symbol} />
}
