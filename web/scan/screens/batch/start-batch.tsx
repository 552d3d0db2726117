import { useState } from 'react'
import { texts } from '../../../shared/texts/scan-batch-texts.ts'
import { t } from '../../../shared/texts/scan-texts.ts'
import { ownBatches, readOwnFlows } from '../../app/own-flows.ts'
import { nameOfWalk } from '../../app/picking-actions.ts'
import { pickScreen } from '../../app/screen.ts'
import { useApp, useCodes, useTitle } from '../../app/use-app.ts'
import { useReading } from '../../app/use-reading.ts'
import { Attempts } from '../../app/attempts.ts'
import { MAX_SLOTS, startBatch } from '../../batch/start-batch.ts'
import { Button } from '../../kit/button.tsx'
import { Field } from '../../kit/field.tsx'
import styles from '../screens.module.css'

/** The running batch, or the start of one. There is one cart. */
export function StartBatch() {
  const app = useApp()
  const batches = ownBatches(app)
  useTitle(texts.title)
  const refusal = useReading(() => readOwnFlows(app))
  useCodes((codes, _at, _codes, begun) => {
    const walk = batches.find(({ flows }) => flows.some(({ order_tenant_id }) => codes.includes(order_tenant_id)))
    if (walk !== undefined) app.goOn(begun, pickScreen(walk.key))
    return walk !== undefined
  })
  return (
    <div className={styles.screen}>
      <h1>{texts.title}</h1>
      <p className={styles.quiet}>{batches.length === 0 ? texts.text : texts.running}</p>
      {batches.map((walk) => (
        <Button key={walk.key} kind="primary" onClick={() => app.go(pickScreen(walk.key))}>
          {t.queue.goOn(nameOfWalk(walk))}
        </Button>
      ))}
      {!app.ui.isOnline && <p className={styles.notice}>{texts.offline}</p>}
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {batches.length === 0 && <StartForm />}
    </div>
  )
}

function StartForm() {
  const app = useApp()
  const [attempts] = useState(() => new Attempts())
  const [typed, setTyped] = useState(String(app.kept.settings.slots))
  const [isSingleLine, setSingleLine] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const slots = /^\d{1,2}$/.test(typed) ? Number(typed) : 0
  const isRight = slots >= 1 && slots <= MAX_SLOTS
  const start = async (): Promise<void> => {
    app.feedback.unlock()
    setBusy(true)
    // The cart has as many the next time.
    const isKept = slots === app.kept.settings.slots || (await app.keep(({ settings }) => ({ settings: { ...settings, slots } })))
    if (isKept) await startBatch(app, { slots, isSingleLine }, attempts)
    setBusy(false)
  }
  return (
    <form
      className={styles.screen}
      onSubmit={(event) => {
        event.preventDefault()
        if (isRight && !isBusy) app.lead(start())
      }}
    >
      <Field label={texts.slots} value={typed} inputMode="numeric" placeholder={texts.slotsHint(MAX_SLOTS)} onChange={setTyped} />
      <label className={styles.choice}>
        <input type="checkbox" checked={isSingleLine} onChange={({ target }) => setSingleLine(target.checked)} />
        {texts.isSingleLine}
      </label>
      <Button kind="primary" isSubmit isBusy={isBusy} isDisabled={!isRight || !app.ui.isOnline}>
        {texts.start}
      </Button>
    </form>
  )
}
