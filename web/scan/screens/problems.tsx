import { type ReactNode, useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { App } from '../app/app.ts'
import { refusalText } from '../app/refusal-text.ts'
import { countAgain, giveUp, putBack, sendAgain, takeElsewhere } from '../app/ways-out.ts'
import { useApp, useTitle } from '../app/use-app.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Keypad } from '../kit/keypad.tsx'
import { quantityOf } from '../kit/typed-quantity.ts'
import type { Level } from '../picking/stops.ts'
import type { Entry, FlowEntry, GoneEntry, PickEntry, RecordEntry } from '../queue/entry.ts'
import { problemsOf } from '../queue/reduce.ts'
import type { Operator } from '../store/database.ts'
import styles from './screens.module.css'

/** What the server refused, each with its ways out. Nothing leaves this list by itself. */
export function Problems() {
  const { kept } = useApp()
  const problems = problemsOf(kept.entries)
  useTitle(t.problems.title)
  return (
    <div className={styles.screen}>
      <h1>{t.problems.title}</h1>
      {problems.length === 0 && <p>{t.problems.none}</p>}
      <ul aria-label={t.problems.title} className={styles.list}>
        {problems.map((entry) => (
          <ProblemItem key={entry.seq} entry={entry} />
        ))}
      </ul>
    </div>
  )
}

function ProblemItem({ entry }: { entry: Entry }) {
  const { operators } = useApp().kept
  const { error, about, body } = entry
  return (
    <li className={styles.problem}>
      <p>
        <strong>{entry.record === undefined ? sentenceOf(entry, operators) : sentenceOfRecord(entry)}</strong>
      </p>
      {body !== null && (
        <p>
          {(entry.record === undefined ? t.problems.of : t.problems.at)(
            about.order_tenant_id,
            body.quantity,
            about.product_name,
            about.location_code,
          )}
        </p>
      )}
      {entry.kind === 'gone' && <Goods entry={entry} />}
      {about.slot !== undefined && <p>{t.pick.slotOf(about.slot, about.order_tenant_id)}</p>}
      {error?.reason === 'other' && (
        <p>
          {refusalText(error, true)} {error.request_id !== null && t.dialog.request(error.request_id)}
        </p>
      )}
      {entry.record === undefined ? <WaysOut entry={entry} /> : <WaysOutOfRecord entry={entry} />}
    </li>
  )
}

/** Where the goods of a flow that is gone belong, but for those of the sentence above. */
function Goods({ entry: { goods, error, about } }: { entry: GoneEntry }) {
  if (goods.length === 0) return about.slot === undefined ? null : <p>{t.problems.lastOfBatch}</p>
  if (error?.state !== 'cancelled') return <p>{t.problems.handOver(goods)}</p>
  return goods
    .slice(1)
    .map(({ product_id, product_name, location_id, location_code, quantity }) => (
      <p key={`${product_id} ${location_id}`}>{t.problems.alsoBack(quantity, product_name, location_code)}</p>
    ))
}

function WaysOut({ entry }: { entry: FlowEntry }) {
  const app = useApp()
  const reason = entry.error?.reason
  const isStock = reason === 'stock' && entry.kind === 'pick'
  const isPlace = reason === 'place' && entry.kind === 'pick'
  if (entry.kind === 'gone' && entry.goods.length === 0)
    return <Button onClick={() => void giveUp(app, entry, t.problem.ok)}>{t.problem.ok}</Button>
  if (entry.kind === 'gone' && entry.error?.state !== 'cancelled')
    return <Button onClick={() => void giveUp(app, entry, t.problems.handedOver)}>{t.problems.handedOver}</Button>
  return (
    <div className={styles.buttons}>
      {(isStock || (isPlace && othersOf(app, entry).length > 0)) && <Elsewhere entry={entry} />}
      {isStock && app.kept.session?.operator?.may_change_stock === true && <CountHere entry={entry} />}
      {(reason === 'other' || isPlace || entry.kind === 'undo' || entry.kind === 'complete') && (
        <Button onClick={() => void sendAgain(app, entry)}>{t.problems.again}</Button>
      )}
      <Button onClick={() => void putBack(app, entry)}>{t.problems.putBack}</Button>
    </div>
  )
}

function WaysOutOfRecord({ entry }: { entry: RecordEntry }) {
  const app = useApp()
  const { kind, record, error } = entry
  if (kind === 'count') {
    const countAgain = async (): Promise<void> => {
      if (await giveUp(app, entry, t.problems.countAgain)) app.go({ name: 'count-list', record: record.id })
    }
    return (
      <div className={styles.buttons}>
        {error?.reason !== 'over' && <Button onClick={() => void countAgain()}>{t.problems.countAgain}</Button>}
        <Button onClick={() => void giveUp(app, entry, t.problems.leaveUncounted)}>{t.problems.leaveUncounted}</Button>
      </div>
    )
  }
  const last = kind === 'undo' ? t.problems.leaveReceived : t.problems.setAside
  return (
    <div className={styles.buttons}>
      {error?.reason !== 'over' && <Button onClick={() => void sendAgain(app, entry)}>{t.problems.again}</Button>}
      <Button onClick={() => void giveUp(app, entry, last)}>{last}</Button>
    </div>
  )
}

function Opened({ label, title, children }: { label: string; title: string; children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      {isOpen && (
        <Dialog title={title} onClose={close}>
          {children(close)}
          <Button kind="quiet" onClick={close}>
            {t.dialog.cancel}
          </Button>
        </Dialog>
      )}
    </>
  )
}

/** The other locations of the product from which may be picked, as far as the device knows. */
function othersOf({ kept }: App, { flow_id, body }: PickEntry): readonly Level[] {
  const lines = kept.flows.get(flow_id)?.flow.lines
  const line = lines?.find(({ order_detail_id }) => order_detail_id === body.order_detail_id)
  return line?.locations.filter(({ location_id }) => location_id !== body.location_id) ?? []
}

function Elsewhere({ entry }: { entry: PickEntry }) {
  const app = useApp()
  const others = othersOf(app, entry)
  return (
    <Opened label={t.problems.elsewhere} title={t.problems.elsewhere}>
      {(close) =>
        others.length === 0 ? (
          <p>{t.pick.elsewhereNone}</p>
        ) : (
          others.map((level) => (
            <Button
              key={level.location_id}
              onClick={() => {
                close()
                void takeElsewhere(app, entry, level)
              }}
            >
              {t.pick.at(level.location_code, level.quantity)}
            </Button>
          ))
        )
      }
    </Opened>
  )
}

function CountHere({ entry }: { entry: PickEntry }) {
  const app = useApp()
  const [typed, setTyped] = useState('')
  const counted = quantityOf(typed)
  const title = t.problems.count(entry.about.location_code)
  return (
    <Opened label={title} title={title}>
      {(close) => (
        <>
          <Keypad label={t.problems.countLabel(entry.about.location_code)} value={typed} onChange={setTyped} />
          <Button
            kind="primary"
            isDisabled={counted === undefined}
            onClick={() => {
              close()
              void countAgain(app, entry, counted ?? 0)
            }}
          >
            {t.stock.save}
          </Button>
        </>
      )}
    </Opened>
  )
}

function sentenceOfRecord({ kind, error, about, body }: RecordEntry): string {
  const { order_tenant_id, product_name, location_code } = about
  const state = t.problems.recordStates[error?.state as keyof typeof t.problems.recordStates]
  const left = error?.left ?? 0
  if (kind === 'count') {
    if (error?.reason === 'over') return t.problems.countOver(order_tenant_id, state)
    return (error?.reason === 'late' ? t.problems.countLate : t.problems.counting)(product_name, location_code)
  }
  if (kind === 'undo') return t.problems.undo(body.quantity, product_name, location_code)
  if (error?.reason === 'over') return t.problems.receiptOver(order_tenant_id, state, body.quantity, product_name)
  if (error?.reason === 'beyond') return t.problems.receiptBeyond(left, body.quantity - left, product_name)
  return t.problems.receipt(body.quantity, product_name)
}

function sentenceOf(entry: FlowEntry, operators: readonly Operator[]): string {
  const { kind, error, about, body } = entry
  const { order_tenant_id, product_name, location_code } = about
  const state = error?.state as keyof typeof t.problems.states | undefined
  const quantity = body?.quantity ?? 0
  const left = error?.left ?? 0
  if (error?.reason === 'operator') return t.problems.operator(order_tenant_id, nameOf(error.operator ?? '', operators))
  if (kind === 'gone') return sentenceOfGone(entry)
  if (kind === 'complete') return t.problems.complete(order_tenant_id)
  if (kind === 'undo') return t.problems.undo(quantity, product_name, location_code)
  switch (error?.reason) {
    case 'over':
      return t.problems.over(order_tenant_id, t.problems.states[state ?? 'cancelled'], quantity, product_name, location_code)
    case 'beyond':
      return t.problems.beyond(left, quantity - left)
    case 'stock':
      return t.problems.stock(left, location_code)
    case 'place':
      return t.problems.place(location_code, quantity, product_name)
    default:
      return t.problem.failed
  }
}

function sentenceOfGone({ error, about: { order_tenant_id }, goods: [first] }: GoneEntry): string {
  const isCancelled = error?.state === 'cancelled'
  const state = isCancelled ? t.problems.states.cancelled : t.problems.states.completed
  if (!isCancelled || first === undefined) return t.problems.ended(order_tenant_id, state)
  const { quantity, product_name, location_code } = first
  return t.problems.over(order_tenant_id, state, quantity, product_name, location_code)
}

/** The name of an operator who signed in on this device; the address of another one. */
const nameOf = (email: string, operators: readonly Operator[]): string =>
  operators.find((operator) => operator.email.toLowerCase() === email.toLowerCase())?.name ?? email
