import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { useSession } from '../data/session.tsx'
import { t } from '../../shared/texts/texts.ts'
import { CopyAsCurl } from './copy-as-curl.tsx'
import styles from './screen.module.css'

export interface ScreenProps {
  title: string
  /** What stands beside the title, such as the state of the record. */
  mark?: ReactNode
  actions?: ReactNode
  hasCurl?: boolean
  children: ReactNode
}

/** A screen: its one heading, which has the focus after each navigation, its actions and its content. */
export function Screen({ title, mark, actions, hasCurl = true, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { tenant } = useSession()
  useEffect(() => {
    document.title = t.frame.documentTitle(title, tenant.name)
  }, [title, tenant.name])
  // Before the screen can be seen: whoever types at once must not lose the focus of a field to the heading.
  useLayoutEffect(() => focusAfterNavigation(heading.current), [])
  return (
    <div className={styles.screen}>
      <header className={styles.head}>
        <div className={styles.title}>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {mark}
        </div>
        <div className={styles.actions}>
          {hasCurl && <CopyAsCurl />}
          {actions}
        </div>
      </header>
      {children}
    </div>
  )
}

let isFirst = true

// Not when the document opens: the first Tab must reach the skip link.
function focusAfterNavigation(heading: HTMLElement | null): void {
  if (!isFirst) heading?.focus({ preventScroll: true })
  isFirst = false
}

/** A titled part of a screen. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <header className={styles.head}>
        <h2>{title}</h2>
        <div className={styles.actions}>{actions}</div>
      </header>
      {children}
    </section>
  )
}

export interface FactsProps {
  facts: readonly { name: string; value: ReactNode }[]
}

/** Names and values of a record. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
