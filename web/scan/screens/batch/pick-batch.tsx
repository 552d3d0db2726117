import { useState } from 'react'
import { texts } from '../../../shared/texts/scan-batch-texts.ts'
import { t } from '../../../shared/texts/scan-texts.ts'
import { productOf } from '../../app/picking-actions.ts'
import { useApp } from '../../app/use-app.ts'
import { type BatchStop, batchStopOf, goneSlots, slotsOf } from '../../batch/stop.ts'
import { takeOff } from '../../batch/take-off.ts'
import { Button } from '../../kit/button.tsx'
import type { WalkView } from '../../picking/view.ts'
import { keyOfBatch } from '../../picking/walk.ts'
import { Photo } from '../photo.tsx'
import { LastScan, PickButtons, useWalk, Where } from '../pick.tsx'
import screen from '../screens.module.css'
import styles from './batch.module.css'

/** Where to go, what to take, and into which slot it goes. */
export function PickBatch({ batch }: { batch: number }) {
  const view = useWalk(keyOfBatch(batch))
  if (view === undefined) return null
  const stop = batchStopOf(view)
  return (
    <div className={screen.screen}>
      <GoneSlots view={view} />
      <div className={styles.stop}>
        <div className={screen.screen}>
          <Where view={view} />
          {stop !== undefined && <Product view={view} stop={stop} />}
        </div>
        {stop !== undefined && <Slot view={view} stop={stop} />}
      </div>
      <LastScan />
      <PickButtons view={view} />
      <Slots view={view} />
    </div>
  )
}

/** What is taken here, for all slots together. */
function Product({ view, stop: { line, take } }: { view: WalkView; stop: BatchStop }) {
  const { kept } = useApp()
  return (
    <div className={screen.what}>
      <Photo url={productOf(kept, view.walk, line.product_id)?.photo_url} />
      <div>
        <p className={screen.take}>{t.pick.take(take)}</p>
        <p className={screen.product}>{line.line.product_name}</p>
        <p className={screen.quiet}>{t.pick.barcode(line.line.barcode)}</p>
      </div>
    </div>
  )
}

/** The slot that is next, and those after it. */
function Slot({ view, stop }: { view: WalkView; stop: BatchStop }) {
  const { line, location, put, current, shares } = stop
  const { minimum_quantity: least, maximum_quantity: most = 0 } = line.line
  return (
    <section aria-label={texts.slot(current.slot)} className={screen.screen}>
      <h2 className={styles.slot}>{texts.slot(current.slot)}</h2>
      <p className={screen.amounts}>
        <span className={screen.product}>{(location === undefined ? texts.missing : texts.put)(put, current.slot)}</span>
        <span>{t.pick.taken(view.draft.pick?.body.quantity ?? 0)}</span>
      </p>
      <p>
        <strong>{current.order}</strong>
      </p>
      {least !== undefined && <p className={screen.quiet}>{t.pick.within(least, most)}</p>}
      {shares.length > 1 && (
        <ul aria-label={texts.here} className={styles.shares}>
          {shares.map(({ slot, quantity, isCurrent }) => (
            <li key={slot} aria-current={isCurrent ? 'step' : undefined}>
              {texts.share(slot, quantity)}
            </li>
          ))}
        </ul>
      )}
      <Expected view={view} stop={stop} />
    </section>
  )
}

/** What is scanned next. */
function Expected({ view: { draft }, stop }: { view: WalkView; stop: BatchStop }) {
  const { isLocationFirst, isSlotScanned } = useApp().kept.settings
  const { location, line, put, current } = stop
  const isHere = location !== undefined && draft.location?.id === location.id
  const text = ((): string => {
    if (location === undefined) return t.pick.noStockHint
    if (isLocationFirst && !isHere) return t.pick.scanLocation(location.code)
    if (!(isHere && draft.location?.product_id === line.product_id)) return t.pick.scanProduct
    const isFull = (draft.pick?.body.quantity ?? 0) >= put
    return isSlotScanned && isFull ? texts.scanOrder(current.order) : texts.scanProductOr(current.order)
  })()
  return <p className={screen.expected}>{text}</p>
}

/** Orders that left the batch while it is picked. */
function GoneSlots({ view }: { view: WalkView }) {
  const app = useApp()
  return goneSlots(view).map(({ slot, order }) => (
    <div key={slot} className={screen.notice} role="alert">
      <p>{texts.gone(slot, order)}</p>
      <Button onClick={() => void takeOff(app, view.walk.key, slot)}>{texts.tookOff(order)}</Button>
    </div>
  ))
}

/** Which order is in which slot. */
function Slots({ view }: { view: WalkView }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {texts.orders}
      </Button>
      {isOpen && (
        <ul aria-label={texts.orders} className={screen.list}>
          {slotsOf(view).map(({ slot, order, done, lines }) => (
            <li key={slot} className={screen.line}>
              <strong>{t.pick.slotOf(slot, order)}</strong>
              <span>{texts.lines(done, lines)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
