import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { copyText } from './copy-text.tsx'
import styles from './id.module.css'

/** Characters at the end that are always shown. Ids of one time begin alike. */
const END = 8

interface IdProps {
  id: string
  /** In a table that has no room for all of it. */
  isShort?: boolean
}

/** An id on one line. Where it has no room, its middle is left out; what is selected and copied is all of it. */
export function Id({ id, isShort = false }: IdProps) {
  return (
    <code className={`${styles.id} ${isShort ? styles.short : ''}`} title={id}>
      <span className={styles.start}>{id.slice(0, -END)}</span>
      {id.slice(-END)}
    </code>
  )
}

/** An id with a button that copies it. `children` stands for it, such as a link. */
export function CopiedId({ id, children }: { id: string; children?: ReactNode }) {
  return (
    <span className={styles.copied}>
      {children ?? <Id id={id} />}
      <Button kind="quiet" aria-label={t.copy.id} onPress={() => void copyText(id, t.copy.idDone)}>
        <Copy size={14} aria-hidden />
      </Button>
    </span>
  )
}
