import { Check } from 'lucide-react'
import { t } from '../../shared/texts/scan-texts.ts'
import { decide, flowView, scanInFlow } from '../app/picking-actions.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { useWakeLock } from '../app/use-wake-lock.ts'
import { Button } from '../kit/button.tsx'
import { confirm, type Decision, type Picking, skip, takeAll, undo } from '../picking/decide.ts'
import { type FlowView, leftAt } from '../picking/view.ts'
import { ElsewhereDialog, QuantityDialog, ShortDialog } from './pick-dialogs.tsx'
import { Photo } from './photo.tsx'
import styles from './screens.module.css'

/** Where to go, what to take, how much. */
export function Pick({ flowId }: { flowId: number }) {
  const app = useApp()
  const view = flowView(app.kept, flowId)
  useTitle(view?.flow.order_tenant_id ?? '')
  useCodes((texts, at) => scanInFlow(app, flowId, texts, at))
  useWakeLock()
  if (view === undefined) return null
  const { dialog } = app.ui
  return (
    <div className={styles.screen}>
      <Where view={view} />
      <What view={view} />
      <LastScan />
      <Buttons view={view} />
      {dialog === 'quantity' && <QuantityDialog view={view} />}
      {dialog === 'short' && <ShortDialog view={view} />}
      {dialog === 'elsewhere' && <ElsewhereDialog view={view} />}
    </div>
  )
}

function Where({ view: { current, lines, stops, draft } }: { view: FlowView }) {
  const done = lines.filter(({ left, order_detail_id }) => left === 0 || draft.shorts[order_detail_id] !== undefined).length
  const at = lines.findIndex(({ order_detail_id }) => order_detail_id === current?.order_detail_id)
  const next = stops.find(({ location }) => location !== undefined && location.id !== current?.location?.id)
  return (
    <>
      <p className={styles.progress}>
        <progress aria-label={t.pick.lines} value={done} max={lines.length} />
        {at >= 0 && <span>{t.pick.lineOf(at + 1, lines.length)}</span>}
      </p>
      <h1 className={styles.location}>{current?.location?.code ?? t.pick.noStock}</h1>
      <p className={styles.quiet}>{next?.location === undefined ? t.pick.last : t.pick.next(next.location.code)}</p>
    </>
  )
}

function What({ view }: { view: FlowView }) {
  const app = useApp()
  const { current, lines, draft } = view
  const line = lines.find(({ order_detail_id }) => order_detail_id === current?.order_detail_id)?.line
  if (current === undefined || line === undefined) return null
  const product = app.kept.flows.get(view.flow.id)?.products[line.product_id]
  const isHere = current.location !== undefined && draft.location?.id === current.location.id
  const isLocationNext = app.kept.settings.isLocationFirst && !isHere
  return (
    <div className={styles.what}>
      <Photo url={product?.photo_url} />
      <div>
        <p className={styles.product}>{line.product_name}</p>
        <p className={styles.quiet}>{t.pick.barcode(line.barcode)}</p>
        <p className={styles.amounts}>
          <span className={styles.take}>{t.pick.take(leftAt(view, current))}</span>
          <span>{t.pick.taken(draft.pick?.body.quantity ?? 0)}</span>
        </p>
      </div>
      <p className={styles.expected}>{expectedText(current.location?.code, isLocationNext)}</p>
    </div>
  )
}

function expectedText(code: string | undefined, isLocationNext: boolean): string {
  if (code === undefined) return t.pick.noStockHint
  return isLocationNext ? t.pick.scanLocation(code) : t.pick.scanProduct
}

/** What the last scan led to. It flashes with each one. */
export function LastScan() {
  const app = useApp()
  const { verdict } = app.ui
  const isGood = verdict !== undefined && verdict.outcome !== 'problem'
  return (
    <p
      key={verdict?.id}
      role="status"
      aria-label={t.pick.lastScan}
      className={`${styles.verdict} ${isGood ? styles.good : ''}`}
      data-outcome={verdict?.outcome}
    >
      {isGood && <Check aria-hidden />}
      {isGood ? verdict.text : ''}
    </p>
  )
}

function Buttons({ view }: { view: FlowView }) {
  const app = useApp()
  const { flow, current, draft } = view
  const run = (make: (picking: Picking) => Decision | undefined) => () => {
    app.feedback.unlock()
    void decide(app, flow.id, make)
  }
  const left = current === undefined ? 0 : leftAt(view, current)
  const hasStock = current?.location !== undefined
  return (
    <div className={styles.buttons}>
      <Button kind="primary" command="FC-ALL" isDisabled={!hasStock || left === 0} onClick={run(takeAll)}>
        {t.pick.takeAll(left)}
      </Button>
      <Button isDisabled={!hasStock} onClick={() => app.set({ dialog: 'quantity' })}>
        {t.pick.quantity}
      </Button>
      <Button command="FC-CONFIRM" isDisabled={draft.pick === null} onClick={run(confirm)}>
        {t.pick.confirm}
      </Button>
      <Button command="FC-SHORT" isDisabled={current === undefined} onClick={() => app.set({ dialog: 'short' })}>
        {t.pick.short}
      </Button>
      <Button isDisabled={current === undefined} onClick={() => app.set({ dialog: 'elsewhere' })}>
        {t.pick.elsewhere}
      </Button>
      <Button command="FC-SKIP" isDisabled={current === undefined} onClick={run(skip)}>
        {t.pick.skip}
      </Button>
      <Button command="FC-UNDO" onClick={run(undo)}>
        {t.pick.undo}
      </Button>
      <Button command="FC-FINISH" onClick={() => app.go({ name: 'finish', flow: flow.id })}>
        {t.pick.finish}
      </Button>
    </div>
  )
}
