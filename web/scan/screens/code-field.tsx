import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { useApp } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import styles from './screens.module.css'

/** For labels that no scanner reads: what is typed counts as a scan. */
export function CodeField() {
  const app = useApp()
  const [typed, setTyped] = useState('')
  return (
    <form
      className={styles.inline}
      onSubmit={(event) => {
        event.preventDefault()
        app.feedback.unlock()
        app.scan([typed], performance.now())
        setTyped('')
      }}
    >
      <Field label={t.typed.code} value={typed} onChange={setTyped} required />
      <Button isSubmit>{t.typed.enter}</Button>
    </form>
  )
}
