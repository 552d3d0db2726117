import { useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { RadioGroup } from './choices.tsx'
import styles from './json-body.module.css'

const VIEWS = (['pretty', 'raw'] as const).map((value) => ({ value, label: t.events.views[value] }))

/** A body as it is read, or as it is sent. Text of the data stays text. */
export function JsonBody({ label, value }: { label: string; value: unknown }) {
  const [view, setView] = useState<'pretty' | 'raw'>('pretty')
  return (
    <div className={styles.body}>
      <RadioGroup label={label} isLabelHidden isSegmented options={VIEWS} value={view} onChange={setView} />
      <pre className={styles.text} role="region" aria-label={label} tabIndex={0}>
        {view === 'pretty' ? JSON.stringify(value, undefined, 2) : JSON.stringify(value)}
      </pre>
    </div>
  )
}

const SHORT = 22

/** A value within a table: its beginning on one line, and all of it when it is opened. */
export function JsonCell({ value }: { value: unknown }) {
  const text = JSON.stringify(value)
  if (text.length <= SHORT) return <code>{text}</code>
  return (
    <details className={styles.cell}>
      <summary>
        <code>{`${text.slice(0, SHORT)}…`}</code>
      </summary>
      <pre className={styles.text}>{JSON.stringify(value, undefined, 2)}</pre>
    </details>
  )
}
