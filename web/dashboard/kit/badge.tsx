import type { ReactNode } from 'react'
import styles from './badge.module.css'

export type BadgeKind = 'ok' | 'warn' | 'bad' | 'muted' | 'state1' | 'state2' | 'state3' | 'state5' | 'state7'

/** A state in words, with a colour besides. */
export function Badge({ kind, children }: { kind: BadgeKind; children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[kind]}`}>{children}</span>
}
