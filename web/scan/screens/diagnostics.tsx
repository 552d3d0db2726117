import { useEffect, useState } from 'react'
import { formatClock, formatTime } from '../../shared/format.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import { saveQueue } from '../app/save-queue.ts'
import { useApp, useTitle } from '../app/use-app.ts'
import type { Outcome } from '../feedback.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import type { Entry } from '../queue/entry.ts'
import { countToSend } from '../queue/reduce.ts'
import type { LogRow } from '../store/database.ts'
import type { Settings } from '../store/settings.ts'
import { Unenrol } from './unenrol.tsx'
import styles from './screens.module.css'

const OUTCOMES: Outcome[] = ['taken', 'line', 'order', 'problem']
const GAP = { min: 20, max: 120 }

/** What support asks for, and the settings of the device. */
export function Diagnostics() {
  const app = useApp()
  useTitle(t.diagnostics.title)
  return (
    <div className={styles.screen}>
      <h1>{t.diagnostics.title}</h1>
      <Facts />
      <section className={styles.screen}>
        <h2>{t.diagnostics.tones}</h2>
        <div className={styles.buttons}>
          {OUTCOMES.map((outcome) => (
            <Button
              key={outcome}
              onClick={() => {
                app.feedback.unlock()
                app.feedback.play(outcome)
              }}
            >
              {t.diagnostics.tone[outcome]}
            </Button>
          ))}
        </div>
      </section>
      <ScannerSettings />
      <Scans />
      <Dropped />
      <Button onClick={() => saveQueue(app)}>{t.diagnostics.export}</Button>
      <Unenrol />
    </div>
  )
}

function Facts() {
  const app = useApp()
  const [isPersistent, setPersistent] = useState(false)
  useEffect(() => void navigator.storage?.persisted?.().then(setPersistent), [])
  const [cameras, setCameras] = useState(0)
  useEffect(() => {
    const count = (devices: MediaDeviceInfo[]): void => setCameras(devices.filter(({ kind }) => kind === 'videoinput').length)
    void navigator.mediaDevices?.enumerateDevices().then(count)
  }, [])
  const { session, entries } = app.kept
  const facts = [
    [t.diagnostics.version, session?.version],
    [t.diagnostics.device, session?.device_name],
    [t.diagnostics.tenant, session?.tenant.name],
    [t.diagnostics.operator, session?.operator?.name],
    [t.diagnostics.storage, isPersistent ? t.diagnostics.persistent : t.diagnostics.notPersistent],
    [t.diagnostics.connection, app.ui.isOnline ? t.connection.online : t.connection.offline],
    [t.diagnostics.camera, cameras === 0 ? undefined : t.camera.ready(cameras)],
    [t.connection.toSend(countToSend(entries)), ''],
  ]
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? t.diagnostics.none}</dd>
        </div>
      ))}
    </dl>
  )
}

function ScannerSettings() {
  const app = useApp()
  const { settings } = app.kept
  const save = (change: Partial<Settings>): void => void app.keep(() => ({ settings: { ...app.kept.settings, ...change } }))
  return (
    <section className={styles.screen}>
      <h2>{t.diagnostics.settings}</h2>
      <Gap gapMs={settings.gapMs} onChange={(gapMs) => save({ gapMs })} />
      <Choice label={t.diagnostics.noEnter} isOn={settings.endsInSilence} onChange={(endsInSilence) => save({ endsInSilence })} />
      <Choice
        label={t.diagnostics.locationFirst}
        isOn={settings.isLocationFirst}
        onChange={(isLocationFirst) => save({ isLocationFirst })}
      />
      <Choice
        label={t.diagnostics.slotScanned}
        isOn={settings.isSlotScanned}
        onChange={(isSlotScanned) => save({ isSlotScanned })}
      />
    </section>
  )
}

/** Stored when the operator has typed all of it: 100 is not meant by the beginning of 1000. */
function Gap({ gapMs, onChange }: { gapMs: number; onChange: (gapMs: number) => void }) {
  const [typed, setTyped] = useState(String(gapMs))
  const [isLeft, setLeft] = useState(false)
  const gap = gapOf(typed)
  const leave = (): void => {
    setLeft(true)
    if (gap !== undefined && gap !== gapMs) onChange(gap)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        leave()
      }}
    >
      <Field
        label={t.diagnostics.gap}
        value={typed}
        inputMode="numeric"
        hint={t.diagnostics.gapRange(GAP.min, GAP.max)}
        problem={isLeft && gap === undefined ? t.diagnostics.noGap(GAP.min, GAP.max) : undefined}
        onChange={(text) => {
          setTyped(text)
          setLeft(false)
        }}
        onBlur={leave}
      />
    </form>
  )
}

function gapOf(typed: string): number | undefined {
  const gap = Number(typed)
  return /^\d+$/.test(typed) && gap >= GAP.min && gap <= GAP.max ? gap : undefined
}

function Choice({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  // Shown at once, before it is stored.
  const [isChosen, setChosen] = useState(isOn)
  return (
    <label className={styles.choice}>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={({ target }) => {
          setChosen(target.checked)
          onChange(target.checked)
        }}
      />
      {label}
    </label>
  )
}

function Scans() {
  const { scans } = useApp()
  return (
    <section>
      <h2>{t.diagnostics.scans}</h2>
      {scans.length === 0 && <p>{t.diagnostics.noScans}</p>}
      <ul className={styles.list}>
        {scans.map(({ at, text, outcome, ms }) => (
          <li key={`${at.getTime()} ${text}`} className={styles.line}>
            {`${formatClock(at)} ${text} ${t.diagnostics.tone[outcome]} ${t.diagnostics.ms(ms)}`}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What left the queue without the server having it. */
function Dropped() {
  const { store } = useApp()
  const [rows, setRows] = useState<LogRow[]>([])
  // What cannot be read is not shown.
  useEffect(() => void store.log().then(setRows, () => undefined), [store])
  return (
    <section>
      <h2>{t.diagnostics.dropped}</h2>
      {rows.length === 0 && <p>{t.diagnostics.noDropped}</p>}
      <ul aria-label={t.diagnostics.dropped} className={styles.list}>
        {rows.map(({ at, what, entry }) => (
          <li key={`${at} ${entry.seq}`} className={styles.line}>
            {`${formatTime(at)} ${t.diagnostics.droppedAs[what]}: ${textOf(entry)} (${entry.operator_email})`}
          </li>
        ))}
      </ul>
    </section>
  )
}

function textOf({ about, body, record }: Entry): string {
  if (body === null) return about.order_tenant_id
  const text = record === undefined ? t.problems.of : t.problems.at
  return text(about.order_tenant_id, body.quantity, about.product_name, about.location_code)
}
