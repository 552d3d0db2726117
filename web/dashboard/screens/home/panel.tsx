import { type ReactNode, useId } from 'react'
import styles from './home.module.css'

/** A named part of Home. */
export function Panel({ title, isWide = false, children }: { title: string; isWide?: boolean; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className={`${styles.panel} ${isWide ? styles.wide : ''}`}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}
