import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { signIn } from '../app/session.ts'
import { useApp, useTitle } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { countUnsent } from '../queue/reduce.ts'
import styles from './screens.module.css'

/** No operator is signed in. */
export function Badge() {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  useTitle(t.badge.title)
  const unsent = countUnsent(app.kept.entries)
  const start = async (): Promise<void> => {
    app.feedback.unlock()
    if (typed.trim() === '') return
    setBusy(true)
    await signIn(app, typed.trim())
    setBusy(false)
  }
  return (
    <form
      className={styles.screen}
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <h1>{t.badge.title}</h1>
      <p>{t.badge.device(app.kept.session?.device_name ?? '')}</p>
      {unsent > 0 && <p className={styles.notice}>{t.connection.kept(unsent)}</p>}
      {!app.ui.isOnline && <p>{t.badge.unknownOffline}</p>}
      <Field label={t.badge.label} value={typed} onChange={setTyped} />
      <Button kind="primary" isSubmit isBusy={isBusy}>
        {t.badge.start}
      </Button>
    </form>
  )
}
