import { useState } from 'react'
import { exact } from '../../shared/exact.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App } from '../app/app.ts'
import { cancelWalk, completeWalk } from '../app/flows.ts'
import { decide, nameOfWalk, walkView } from '../app/picking-actions.ts'
import { pickScreen } from '../app/screen.ts'
import { useApp, useTitle } from '../app/use-app.ts'
import { useWakeLock } from '../app/use-wake-lock.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { leftOf } from '../picking/line-bounds.ts'
import { undo } from '../picking/undo.ts'
import { leftAt, type LineView, type WalkView } from '../picking/view.ts'
import type { WalkKey } from '../picking/walk.ts'
import { LastScan } from './pick.tsx'
import styles from './screens.module.css'

/** The end of an order's or a batch's picking. */
export function Finish({ walk: key }: { walk: WalkKey }) {
  const app = useApp()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const view = walkView(app.kept, key)
  const title = t.finish.title(view === undefined ? '' : nameOfWalk(view.walk))
  useTitle(title)
  useWakeLock()
  if (view === undefined) return null
  const { draft, lines, stops } = view
  const drafted = draft.pick?.body
  const leftWithDraft = ({ line, left, picked, order_detail_id }: LineView): number =>
    drafted?.order_detail_id === order_detail_id ? leftOf(line, exact(picked + drafted.quantity)) : left
  const open = lines.filter((line) => leftWithDraft(line) > 0)
  const canGoOn = stops.some((stop) => leftAt(view, stop) > 0)
  const cancel = async (): Promise<void> => {
    setAsking(false)
    setBusy(true)
    await cancelWalk(app, key)
    setBusy(false)
  }
  return (
    <div className={styles.screen}>
      <h1>{title}</h1>
      <LastScan />
      <p>{t.finish.done(lines.length - open.length)}</p>
      {open.length > 0 && <p className={styles.notice}>{t.finish.open(open.length)}</p>}
      <ul className={styles.list}>
        {open.map((line) => (
          <li key={line.order_detail_id} className={styles.line}>
            <strong>{line.line.product_name}</strong>
            {line.flow.slot !== undefined && <span>{t.pick.slotOf(line.flow.slot, line.flow.order_tenant_id)}</span>}
            <span>{t.finish.left(leftWithDraft(line), whyOpen(view, line))}</span>
          </li>
        ))}
      </ul>
      <Button kind="primary" command="FC-FINISH" isBusy={isBusy} onClick={() => void completeWalk(app, key)}>
        {open.length > 0 ? t.finish.release : t.finish.complete}
      </Button>
      {canGoOn && <Button onClick={() => app.go(pickScreen(key))}>{t.finish.goOn}</Button>}
      <Button command="FC-UNDO" onClick={() => void undoLatest(app, key)}>
        {t.pick.undo}
      </Button>
      <Button isBusy={isBusy} isDisabled={!app.ui.isOnline} onClick={() => setAsking(true)}>
        {t.finish.putBack}
      </Button>
      {isAsking && (
        <Dialog title={t.finish.putBack} onClose={() => setAsking(false)}>
          <p>{t.finish.putBackAsk}</p>
          <Button kind="primary" onClick={() => void cancel()}>
            {t.finish.putBack}
          </Button>
          <Button onClick={() => setAsking(false)}>{t.dialog.cancel}</Button>
        </Dialog>
      )}
    </div>
  )
}

/** Takes the latest pick back, and goes to where it came from. */
async function undoLatest(app: App, key: WalkKey): Promise<void> {
  await decide(app, key, undo)
  if (app.ui.problem === undefined) app.go(pickScreen(key))
}

function whyOpen({ draft, stops }: WalkView, { order_detail_id }: LineView): string {
  const reason = draft.shorts[order_detail_id]
  if (reason !== undefined) return t.short[reason]
  const isSkipped = stops.some((stop) => stop.order_detail_id === order_detail_id && draft.skipped.includes(stop.key))
  return isSkipped ? t.finish.skipped : t.finish.stillOpen
}
