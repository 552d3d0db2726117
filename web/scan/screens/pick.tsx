import { Check } from 'lucide-react'
import { useRef } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { decide, nameOfWalk, productOf, scanInWalk, walkView } from '../app/picking-actions.ts'
import { finishScreen } from '../app/screen.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { useWakeLock } from '../app/use-wake-lock.ts'
import { Button } from '../kit/button.tsx'
import { confirm, type Decide, forSeen, skip, takeAll } from '../picking/decide.ts'
import { undo } from '../picking/undo.ts'
import { leftAt, lineOf, type WalkView } from '../picking/view.ts'
import { batchOf, type WalkKey } from '../picking/walk.ts'
import { ElsewhereDialog, QuantityDialog, ShortDialog } from './pick-dialogs.tsx'
import { Photo } from './photo.tsx'
import { type ShownWalk, useSeenStop } from './use-seen-stop.ts'
import styles from './screens.module.css'

/** What every screen of picking has: its title, its codes, and the walk as the operator sees it. */
export function useWalk(key: WalkKey): ShownWalk | undefined {
  const app = useApp()
  const view = walkView(app.kept, key)
  const seenStop = useSeenStop(view?.current)
  useTitle(view === undefined ? '' : nameOfWalk(view.walk))
  useCodes((...scanned) => scanInWalk(app, key, seenStop, ...scanned))
  useWakeLock()
  return view && { ...view, seenStop }
}

/** Where to go, what to take, how much. */
export function Pick({ flowId }: { flowId: number }) {
  const view = useWalk(flowId)
  if (view === undefined) return null
  return (
    <div className={styles.screen}>
      <Where view={view} />
      <What view={view} />
      <LastScan />
      <PickButtons view={view} />
    </div>
  )
}

/** How far the walk is, the location, and the next one. */
export function Where({ view: { walk, current, lines, stops, draft } }: { view: WalkView }) {
  const done = lines.filter(({ left, order_detail_id }) => left === 0 || draft.shorts[order_detail_id] !== undefined).length
  const at = lines.findIndex(({ order_detail_id }) => order_detail_id === current?.order_detail_id)
  // The lines of a batch are not picked in their order.
  const isBatch = batchOf(walk.key) !== undefined
  const next = stops.find(({ location }) => location !== undefined && location.id !== current?.location?.id)
  return (
    <>
      <p className={styles.progress}>
        <progress aria-label={t.pick.lines} value={done} max={lines.length} />
        {isBatch && <span>{t.pick.linesDone(done, lines.length)}</span>}
        {!isBatch && at >= 0 && <span>{t.pick.lineOf(at + 1, lines.length)}</span>}
      </p>
      <h1 className={styles.location}>{current?.location?.code ?? t.pick.noStock}</h1>
      <p className={styles.quiet}>{next?.location === undefined ? t.pick.last : t.pick.next(next.location.code)}</p>
    </>
  )
}

function What({ view }: { view: WalkView }) {
  const app = useApp()
  const { current, draft } = view
  const line = lineOf(view, current)?.line
  if (current === undefined || line === undefined) return null
  const product = productOf(app.kept, view.walk, line.product_id)
  const isHere = current.location !== undefined && draft.location?.id === current.location.id
  const isLocationNext = app.kept.settings.isLocationFirst && !isHere
  return (
    <div className={styles.what}>
      <Photo url={product?.photo_url} />
      <div>
        <p className={styles.product}>{line.product_name}</p>
        <p className={styles.quiet}>{t.pick.barcode(line.barcode)}</p>
        {line.minimum_quantity !== undefined && (
          <p className={styles.quiet}>{t.pick.within(line.minimum_quantity, line.maximum_quantity ?? 0)}</p>
        )}
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

/** The buttons of a stop, and what they open. */
export function PickButtons({ view }: { view: ShownWalk }) {
  const { dialog } = useApp().ui
  return (
    <>
      <Buttons view={view} />
      {dialog === 'quantity' && <QuantityDialog view={view} />}
      {dialog === 'short' && <ShortDialog view={view} />}
      {dialog === 'elsewhere' && <ElsewhereDialog view={view} />}
    </>
  )
}

function Buttons({ view }: { view: ShownWalk }) {
  const app = useApp()
  const { walk, current, draft, seenStop } = view
  const run = (make: Decide) => () => {
    app.feedback.unlock()
    void decide(app, walk.key, make)
  }
  const isDeciding = useRef(false)
  // A second tap may come before the next stop is drawn: it was meant for this one.
  const runForSeen = async (make: Decide): Promise<void> => {
    if (isDeciding.current) return
    isDeciding.current = true
    app.feedback.unlock()
    try {
      await decide(app, walk.key, forSeen(seenStop(), make))
    } finally {
      isDeciding.current = false
    }
  }
  const left = current === undefined ? 0 : leftAt(view, current)
  const hasStock = current?.location !== undefined
  const here = { about: current?.key }
  return (
    <div className={styles.buttons}>
      <Button
        {...here}
        kind="primary"
        command="FC-ALL"
        isDisabled={!hasStock || left === 0}
        onClick={() => void runForSeen(takeAll)}
      >
        {t.pick.takeAll(left)}
      </Button>
      <Button {...here} isDisabled={!hasStock} onClick={() => app.set({ dialog: 'quantity' })}>
        {t.pick.quantity}
      </Button>
      <Button {...here} command="FC-CONFIRM" isDisabled={draft.pick === null} onClick={run(confirm)}>
        {t.pick.confirm}
      </Button>
      <Button {...here} command="FC-SHORT" isDisabled={current === undefined} onClick={() => app.set({ dialog: 'short' })}>
        {t.pick.short}
      </Button>
      <Button {...here} isDisabled={current === undefined} onClick={() => app.set({ dialog: 'elsewhere' })}>
        {t.pick.elsewhere}
      </Button>
      <Button {...here} command="FC-SKIP" isDisabled={current === undefined} onClick={() => void runForSeen(skip)}>
        {t.pick.skip}
      </Button>
      <Button command="FC-UNDO" onClick={run(undo)}>
        {t.pick.undo}
      </Button>
      <Button command="FC-FINISH" onClick={() => app.go(finishScreen(walk.key))}>
        {t.pick.finish}
      </Button>
    </div>
  )
}
