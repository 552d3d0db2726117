import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { enrol } from '../app/session.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { countUnsent } from '../queue/reduce.ts'
import { enrolmentCode } from '../wedge/scan-text.ts'
import styles from './screens.module.css'

/** The device has no session. A code of the address waits for the button: previews of links spend nothing. */
export function Enrol() {
  const app = useApp()
  const { code } = app.ui
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  useTitle(t.enrol.title)
  const start = async (text: string): Promise<void> => {
    app.feedback.unlock()
    const entered = enrolmentCode(text)
    if (entered === '' || isBusy) return
    setBusy(true)
    await enrol(app, entered)
    setBusy(false)
  }
  useCodes(([text = '']) => {
    const isCode = /^\d+-/.test(text)
    if (isCode) void start(text)
    return isCode
  })
  const unsent = countUnsent(app.kept.entries)
  return (
    <form
      className={styles.screen}
      onSubmit={(event) => {
        event.preventDefault()
        void start(typed === '' ? (code ?? '') : typed)
      }}
    >
      <h1>{t.enrol.title}</h1>
      {app.kept.session !== null && <p>{t.enrol.again}</p>}
      {unsent > 0 && <p className={styles.notice}>{t.connection.kept(unsent)}</p>}
      <p>{code === undefined ? t.enrol.hint : t.enrol.ready}</p>
      <Field label={t.enrol.code} value={typed === '' ? (code ?? '') : typed} onChange={setTyped} />
      <Button kind="primary" isSubmit isBusy={isBusy}>
        {t.enrol.start}
      </Button>
      {app.ui.needs !== 'enrolment' && <Button onClick={() => app.set({ code: undefined })}>{t.dialog.cancel}</Button>}
    </form>
  )
}
