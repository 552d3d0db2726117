import { useEffect, useRef, useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { CodeHandler } from '../app/app.ts'
import { Attempts, type OpenAttempt } from '../app/attempts.ts'
import { online } from '../app/calls.ts'
import { SentRows } from '../app/sent-rows.ts'
import { isKnown, type Scanned, type ScannedLocation, type SentChange, type SentRow } from '../app/unanswered.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { findCode, findProduct } from '../data/find.ts'
import { Button } from '../kit/button.tsx'
import { Keypad } from '../kit/keypad.tsx'
import { quantityOf } from '../kit/typed-quantity.ts'
import { bindingOf } from '../store/database.ts'
import { CodeField } from './code-field.tsx'
import styles from './screens.module.css'

interface ChangeStockProps {
  title: string
  /** Names of the locations, in the order in which they are scanned. */
  locations: readonly { key: 'from' | 'to'; label: string; hint: string }[]
  quantityLabel: string
  button: string
  done: string
  /** Whether it was saved. If not, the operator was stopped with the reason. */
  save: (scanned: Required<Scanned>, quantity: number, attempts: Attempts) => Promise<boolean>
}

/** Scans a product and its locations, asks for a quantity, and saves. Online only: nothing of it is queued. */
export function ChangeStock({ title, locations, quantityLabel, button, done, save }: ChangeStockProps) {
  const app = useApp()
  const { session } = app.kept
  const owner = `${title} ${session === null ? '' : bindingOf(session)} ${session?.operator?.id}`
  /** What is being sent. */
  const entered = useRef<Pick<SentRow, 'scanned' | 'typed'>>({ scanned: {}, typed: '' })
  const rows = new SentRows(app.store, owner, () => entered.current)
  /** What was sent before the page was loaded again. */
  const reloaded = (): SentChange | undefined => {
    const row = app.kept.sent[owner]
    if (row === undefined || !isKnown(row)) return undefined
    return { ...row, attempts: newAttempts(row.attempt), isSaved: Promise.resolve(undefined) }
  }
  const newAttempts = (open?: OpenAttempt): Attempts => new Attempts(open, rows)
  const [restored] = useState(() => app.unanswered.get(owner) ?? reloaded())
  const [scanned, setScanned] = useState<Scanned>(restored?.scanned ?? {})
  const latest = useRef(scanned)
  /** What the operator had begun when they started over: what was scanned before is not meant any more. */
  const start = useRef(0)
  const [typed, setTyped] = useState(restored?.typed ?? '')
  const [isBusy, setBusy] = useState(false)
  const [attempts, setAttempts] = useState(() => restored?.attempts ?? newAttempts())
  useTitle(title)
  const missing = locations.find(({ key }) => scanned[key] === undefined)
  const { product } = scanned
  const change = (next: Scanned): void => {
    latest.current = next
    setScanned(next)
  }
  const take: CodeHandler = async (texts, at, codes, begun) => {
    if (begun < start.current) return true
    const before = latest.current
    const next = locations.find(({ key }) => before[key] === undefined)
    const { client } = app.api
    const find = async () =>
      before.product === undefined ? await findProduct(client, texts, codes) : (await findCode(client, texts, codes))?.location
    const found = await online(app, async () => (await find()) ?? null, begun)
    if (begun < start.current || found === undefined) return true
    if (found === null) return false
    const isProduct = 'weighable' in found
    if (!isProduct && next === undefined) return false
    if (!isProduct && found.id === before.from?.id) {
      app.stop({ message: t.stock.sameLocation, scanned: texts[0] }, at)
      return true
    }
    change({ ...before, [isProduct ? 'product' : (next?.key ?? 'from')]: found })
    app.tell('taken', isProduct ? found.name : found.code, at, texts[0])
    return true
  }
  useCodes(take, { leads: true })
  const restart = (): void => {
    // What is entered anew is meant anew.
    setAttempts(newAttempts())
    change({})
    setTyped('')
  }
  const startOver = (): void => {
    start.current = app.begin()
    app.unanswered.delete(owner)
    void rows.forget()
    restart()
  }
  const isWhole = product?.weighable === false
  const quantity = quantityOf(typed, isWhole)
  const settle = async (sent: SentChange): Promise<void> => {
    setBusy(true)
    const isSaved = await sent.isSaved
    setBusy(false)
    if (!sent.attempts.isOpen && app.unanswered.get(owner) === sent) app.unanswered.delete(owner)
    // The operator may have started over meanwhile, and scanned something else.
    if (isSaved === true && latest.current === sent.scanned) restart()
  }
  const submit = async (): Promise<void> => {
    if (quantity === undefined) return
    const at = performance.now()
    const complete = { ...scanned, to: scanned.to ?? scanned.from } as Required<Scanned>
    entered.current = { scanned, typed }
    const sent = { scanned, typed, attempts, isSaved: online(app, () => save(complete, quantity, attempts)) }
    app.unanswered.set(owner, sent)
    await settle(sent)
    if ((await sent.isSaved) === true) app.tell('taken', done, at)
  }
  useEffect(() => {
    // Its answer may come now.
    if (restored !== undefined) void settle(restored)
  }, [])
  const isAllowed = session?.operator?.may_change_stock === true
  if (!isAllowed)
    return (
      <div className={styles.screen}>
        <h1>{title}</h1>
        <p>{t.stock.notAllowed}</p>
      </div>
    )
  return (
    <div className={styles.screen}>
      <h1>{title}</h1>
      <dl className={styles.facts}>
        <div>
          <dt>{t.stock.product}</dt>
          <dd>{product?.name ?? ''}</dd>
        </div>
        {locations.map(({ key, label }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{locationText(scanned[key])}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.expected}>
        {product === undefined ? t.stock.scanProduct : (missing?.hint ?? t.stock.enterQuantity(product.quantity))}
      </p>
      {product !== undefined && missing === undefined && (
        <>
          <Keypad label={quantityLabel} value={typed} onChange={setTyped} isWhole={isWhole} />
          <Button
            kind="primary"
            command="FC-CONFIRM"
            isBusy={isBusy}
            isDisabled={quantity === undefined}
            onClick={() => void submit()}
          >
            {button}
          </Button>
        </>
      )}
      {(product === undefined || missing !== undefined) && <CodeField />}
      <Button onClick={startOver}>{t.stock.again}</Button>
    </div>
  )
}

const locationText = (location: ScannedLocation | undefined): string =>
  location === undefined ? '' : t.stock.locationName(location.code, location.id)
