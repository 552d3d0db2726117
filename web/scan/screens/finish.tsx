import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App } from '../app/app.ts'
import { cancelFlow, completeFlow } from '../app/flows.ts'
import { decide, flowView } from '../app/picking-actions.ts'
import { useApp, useTitle } from '../app/use-app.ts'
import { useWakeLock } from '../app/use-wake-lock.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { undo } from '../picking/decide.ts'
import { leftAt, type LineView } from '../picking/view.ts'
import { LastScan } from './pick.tsx'
import styles from './screens.module.css'

/** The end of a flow. */
export function Finish({ flowId }: { flowId: number }) {
  const app = useApp()
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const view = flowView(app.kept, flowId)
  const title = t.finish.title(view?.flow.order_tenant_id ?? '')
  useTitle(title)
  useWakeLock()
  if (view === undefined) return null
  const { draft, lines, stops } = view
  const drafted = draft.pick?.body
  const leftOf = ({ left, order_detail_id }: LineView): number =>
    drafted?.order_detail_id === order_detail_id ? left - drafted.quantity : left
  const open = lines.filter((line) => leftOf(line) > 0)
  const canGoOn = stops.some((stop) => leftAt(view, stop) > 0)
  const cancel = async (): Promise<void> => {
    setAsking(false)
    setBusy(true)
    await cancelFlow(app, flowId)
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
            <span>{`${t.pick.take(leftOf(line))}, ${whyOpen(draft.shorts[line.order_detail_id])}`}</span>
          </li>
        ))}
      </ul>
      <Button kind="primary" command="FC-FINISH" isBusy={isBusy} onClick={() => void completeFlow(app, flowId)}>
        {open.length > 0 ? t.finish.release : t.finish.complete}
      </Button>
      {canGoOn && <Button onClick={() => app.go({ name: 'pick', flow: flowId })}>{t.finish.goOn}</Button>}
      <Button command="FC-UNDO" onClick={() => void undoLatest(app, flowId)}>
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
async function undoLatest(app: App, flowId: number): Promise<void> {
  await decide(app, flowId, undo)
  if (app.ui.problem === undefined) app.go({ name: 'pick', flow: flowId })
}

const whyOpen = (reason: keyof typeof t.short | undefined): string =>
  reason === undefined ? t.finish.stillOpen : t.short[reason]
