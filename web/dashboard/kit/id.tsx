import { Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'
import { copyText } from './copy-text.tsx'
import styles from './id.module.css'

interface IdProps {
  id: string
  /** In a table that has no room for all of it. */
  isShort?: boolean
}

/**
 * An id on one line. Where it has no room, its beginning is left out: ids of one time begin alike. What is selected, copied and read aloud is all
 * of it: it is one text, as a box of its own for a part would be read as a word of its own.
 */
export function Id({ id, isShort = false }: IdProps) {
  return (
    <code className={`${styles.id} ${isShort ? styles.short : ''}`} title={id}>
      <bdi dir="ltr">{id}</bdi>
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
