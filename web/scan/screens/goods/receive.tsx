import { useState } from 'react'
import { goods } from '../../../shared/texts/scan-goods-texts.ts'
import type { CodeHandler } from '../../app/app.ts'
import type { Tile } from '../../app/screen.ts'
import { useApp, useCodes, useTitle } from '../../app/use-app.ts'
import { useWakeLock } from '../../app/use-wake-lock.ts'
import { decide, scanInRecord, workOf } from '../../goods/actions.ts'
import { linesOf } from '../../goods/lines.ts'
import { confirm, dispose, goTo, leftOf, scan, setQuantity, take, takeAll, undo } from '../../goods/receiving.ts'
import { isOpen, isWhole, nameOf, type Receivable } from '../../goods/record.ts'
import type { Step, Work } from '../../goods/step.ts'
import { Button } from '../../kit/button.tsx'
import type { Disposition, RecordRef } from '../../queue/entry.ts'
import { LastScan } from '../pick.tsx'
import styles from '../screens.module.css'
import { CodeField } from '../code-field.tsx'
import { GoodsLines } from './goods-lines.tsx'
import { QuantityInHand } from './quantity-in-hand.tsx'
import { RecordList } from './record-list.tsx'
import { useFresh } from './use-fresh.ts'

const DISPOSITIONS: Disposition[] = ['restock', 'quarantine', 'scrap']

/** Deliveries, or returns: the list of them, or one that is received. */
export default function Receive({ tile, record }: { tile: Tile; record?: number | undefined }) {
  const { kept } = useApp()
  const kind = tile === 'return' ? 'return' : 'inbound'
  const work = record === undefined ? undefined : workOf(kept, { kind, id: record })
  return isReceiving(work) ? <Receiving work={work} /> : <RecordList kind={kind} />
}

type ReceivingWork = Work<Receivable>

const isReceiving = (work: ReturnType<typeof workOf>): work is ReceivingWork => work !== undefined && work.known.kind !== 'count'

/** A decision about a delivery or return. */
const ofGoods =
  (make: (work: ReceivingWork) => Step | undefined) =>
  (work: NonNullable<ReturnType<typeof workOf>>): Step | undefined =>
    isReceiving(work) ? make(work) : undefined

function Receiving({ work }: { work: ReceivingWork }) {
  const app = useApp()
  const { known, entries } = work
  const ref: RecordRef = { kind: known.kind, id: known.record.id }
  const name = nameOf(known)
  const lines = linesOf(known, entries)
  useTitle(name)
  useWakeLock()
  useFresh(ref)
  const handle: CodeHandler = (...scanned) =>
    scanInRecord(app, ref, scanned, {
      scan: (work, texts) => ofGoods((of) => scan(of, texts))(work),
      goTo: (work, location) => ofGoods((of) => goTo(of, location))(work),
      take: (work, product, quantity) => ofGoods((of) => take(of, product, quantity))(work),
    })
  useCodes(handle, { leads: true })
  const run = (make: (work: ReceivingWork) => Step | undefined) => (): Promise<boolean> => {
    app.feedback.unlock()
    return decide(app, ref, ofGoods(make))
  }
  const done = lines.filter(({ left }) => left === 0).length
  return (
    <div className={styles.screen}>
      <p className={styles.progress}>
        <progress aria-label={goods.lines} value={done} max={lines.length} />
        <span>{goods.lineOf(done, lines.length)}</span>
      </p>
      <h1>{name}</h1>
      {!isOpen(known) && <p className={styles.notice}>{goods.over(name, goods.states[known.record.state])}</p>}
      {known.kind === 'return' && (
        <Dispositions chosen={work.draft.disposition} onChoose={(one) => run((of) => dispose(of, one))()} />
      )}
      <InHand work={work} />
      <LastScan />
      <Buttons work={work} run={run} />
      <CodeField />
      <GoodsLines lines={lines} onTake={(line) => void run((of) => take(of, line))()} />
      {app.ui.dialog === 'quantity' && (
        <QuantityInHand isWhole={isWhole(work)} onConfirm={(quantity) => void run((of) => setQuantity(of, quantity))()} />
      )}
    </div>
  )
}

interface DispositionsProps {
  chosen: Disposition
  onChoose: (disposition: Disposition) => Promise<unknown>
}

function Dispositions({ chosen, onChoose }: DispositionsProps) {
  // Shown at once, before it is stored.
  const [tapped, setTapped] = useState<Disposition>()
  const choose = async (disposition: Disposition): Promise<void> => {
    setTapped(disposition)
    await onChoose(disposition)
    setTapped(undefined)
  }
  return (
    <fieldset className={styles.choices} role="radiogroup" aria-label={goods.disposition}>
      {DISPOSITIONS.map((disposition) => (
        <label key={disposition} className={styles.choice}>
          <input
            type="radio"
            name="disposition"
            checked={(tapped ?? chosen) === disposition}
            onChange={() => void choose(disposition)}
          />
          {goods.dispositions[disposition]}
        </label>
      ))}
    </fieldset>
  )
}

/** Where the goods go, and what the operator holds. */
function InHand({ work }: { work: ReceivingWork }) {
  const { item, place: location, disposition } = work.draft
  const where =
    disposition === 'scrap' ? goods.dispositions.scrap : location === null ? goods.noLocation : goods.to(location.code)
  const left = item === null ? 0 : leftOf(work, item)
  return (
    <section aria-label={goods.inHand} className={styles.sides}>
      <p className={styles.place}>{where}</p>
      <p className={styles.product}>{item?.product_name ?? goods.nothing}</p>
      {item !== null && (
        <p className={styles.take}>{left === 0 ? goods.surplus(item.quantity) : goods.line(item.quantity, left)}</p>
      )}
      <p className={styles.expected}>{hintOf(work)}</p>
    </section>
  )
}

function hintOf({ draft: { item, place: location, disposition }, isLocationFirst }: ReceivingWork): string {
  // It goes to no location.
  if (disposition === 'scrap') return item === null ? goods.scanProduct : goods.scanNext
  if (item !== null) return location === null ? goods.scanLocation : goods.scanNext
  if (location !== null) return goods.scanProductOrLocation
  return isLocationFirst ? goods.scanLocation : goods.scanProduct
}

interface ButtonsProps {
  work: ReceivingWork
  run: (make: (work: ReceivingWork) => Step | undefined) => () => Promise<boolean>
}

function Buttons({ work, run }: ButtonsProps) {
  const app = useApp()
  const { item } = work.draft
  const left = item === null ? 0 : leftOf(work, item)
  const finish = async (): Promise<void> => {
    await run(confirm)()
    if (app.ui.problem === undefined) app.go({ name: work.known.kind === 'return' ? 'return' : 'receive' })
  }
  return (
    <div className={styles.buttons}>
      <Button kind="primary" command="FC-ALL" isDisabled={left === 0} onClick={() => void run(takeAll)()}>
        {goods.allOf(left)}
      </Button>
      <Button isDisabled={item === null} onClick={() => app.set({ dialog: 'quantity' })}>
        {goods.quantity}
      </Button>
      <Button command="FC-CONFIRM" isDisabled={item === null} onClick={() => void run(confirm)()}>
        {goods.confirm}
      </Button>
      <Button command="FC-UNDO" onClick={() => void run(undo)()}>
        {goods.undo}
      </Button>
      <Button command="FC-FINISH" onClick={() => void finish()}>
        {goods.finish}
      </Button>
    </div>
  )
}
