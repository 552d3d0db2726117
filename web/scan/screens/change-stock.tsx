import { useRef, useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { CodeHandler } from '../app/app.ts'
import { Attempts } from '../app/attempts.ts'
import { online } from '../app/calls.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { findCode, findProduct, type ScannedProduct } from '../data/find.ts'
import { Button } from '../kit/button.tsx'
import { Keypad, quantityOf } from '../kit/keypad.tsx'
import { CodeField } from './code-field.tsx'
import styles from './screens.module.css'

interface Place {
  id: string
  code: string
}

interface Scanned {
  product?: ScannedProduct
  from?: Place
  to?: Place
}

/** What the operator entered. Sent again, it is the same attempt. */
interface Entered {
  scanned: Scanned
  typed: string
  attempts: Attempts
}

/** What has no answer yet, by screen and operator: who looks elsewhere and comes back can try it again. */
const unanswered = new Map<string, Entered>()

interface ChangeStockProps {
  title: string
  /** Names of the locations, in the order in which they are scanned. */
  places: readonly { key: 'from' | 'to'; label: string; hint: string }[]
  quantityLabel: string
  button: string
  done: string
  /** Whether it was saved. If not, the operator was stopped with the reason. */
  save: (scanned: Required<Scanned>, quantity: number, attempts: Attempts) => Promise<boolean>
}

/** Scans a product and its locations, asks for a quantity, and saves. Online only: nothing of it is queued. */
export function ChangeStock({ title, places, quantityLabel, button, done, save }: ChangeStockProps) {
  const app = useApp()
  const owner = `${title} ${app.kept.session?.operator?.id}`
  const [restored] = useState(() => unanswered.get(owner))
  const [scanned, setScanned] = useState<Scanned>(restored?.scanned ?? {})
  const latest = useRef(scanned)
  /** What the operator had begun when they started over: what was scanned before is not meant any more. */
  const start = useRef(0)
  const [typed, setTyped] = useState(restored?.typed ?? '')
  const [isBusy, setBusy] = useState(false)
  const [attempts, setAttempts] = useState(() => restored?.attempts ?? new Attempts())
  useTitle(title)
  const missing = places.find(({ key }) => scanned[key] === undefined)
  const { product } = scanned
  const change = (next: Scanned): void => {
    latest.current = next
    setScanned(next)
  }
  const take: CodeHandler = async (texts, at, codes, begun) => {
    if (begun < start.current) return true
    const before = latest.current
    const next = places.find(({ key }) => before[key] === undefined)
    const { client } = app.api
    const find = async () =>
      before.product === undefined ? await findProduct(client, texts, codes) : (await findCode(client, texts, codes))?.location
    const found = await online(app, async () => (await find()) ?? null, begun)
    if (begun < start.current || found === undefined) return true
    if (found === null) return false
    const isProduct = 'weighable' in found
    if (!isProduct && next === undefined) return false
    change({ ...before, [isProduct ? 'product' : (next?.key ?? 'from')]: found })
    app.tell('taken', isProduct ? found.name : found.code, at, texts[0])
    return true
  }
  useCodes(take, { leads: true })
  const restart = (): void => {
    // What is entered anew is meant anew.
    unanswered.delete(owner)
    setAttempts(new Attempts())
    change({})
    setTyped('')
  }
  const startOver = (): void => {
    start.current = app.begin()
    restart()
  }
  const quantity = quantityOf(typed)
  const submit = async (): Promise<void> => {
    if (quantity === undefined) return
    setBusy(true)
    const at = performance.now()
    const complete = { ...scanned, to: scanned.to ?? scanned.from } as Required<Scanned>
    const isSaved = await online(app, () => save(complete, quantity, attempts))
    setBusy(false)
    // The operator may have started over meanwhile, and scanned something else.
    const isStillHere = latest.current === scanned
    if (isStillHere && attempts.isOpen) unanswered.set(owner, { scanned, typed, attempts })
    if (isSaved !== true) return
    if (isStillHere) restart()
    app.tell('taken', done, at)
  }
  const isAllowed = app.kept.session?.operator?.may_change_stock === true
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
        {places.map(({ key, label }) => (
          <div key={key}>
            <dt>{label}</dt>
            <dd>{scanned[key]?.code ?? ''}</dd>
          </div>
        ))}
      </dl>
      <p className={styles.expected}>
        {product === undefined ? t.stock.scanProduct : (missing?.hint ?? t.stock.enterQuantity(product.quantity))}
      </p>
      {product !== undefined && missing === undefined && (
        <>
          <Keypad label={quantityLabel} value={typed} onChange={setTyped} isWhole={!product.weighable} />
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
