import { useRef, useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import type { CodeHandler } from '../app/app.ts'
import { Attempts } from '../app/attempts.ts'
import { online } from '../app/calls.ts'
import { useApp, useCodes, useTitle, useTurns } from '../app/use-app.ts'
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
  const [scanned, setScanned] = useState<Scanned>({})
  const latest = useRef(scanned)
  /** How often the operator has started over. */
  const starts = useRef(0)
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [attempts, setAttempts] = useState(() => new Attempts())
  useTitle(title)
  const missing = places.find(({ key }) => scanned[key] === undefined)
  const { product } = scanned
  const change = (next: Scanned): void => {
    latest.current = next
    setScanned(next)
  }
  /** `start`: the one after which the code was scanned. After another one, the code is not meant any more. */
  const take = async (start: number, [texts, at, codes]: Parameters<CodeHandler>): Promise<boolean> => {
    if (start !== starts.current) return true
    const before = latest.current
    const next = places.find(({ key }) => before[key] === undefined)
    const { client } = app.api
    const found = await online(app, async () =>
      before.product === undefined
        ? await findProduct(client, texts, codes)
        : ((await findCode(client, texts, codes))?.location ?? null),
    )
    if (start !== starts.current) return true
    if (found === undefined && app.ui.problem !== undefined) return true
    if (found === undefined || found === null) return false
    const isProduct = 'weighable' in found
    if (!isProduct && next === undefined) return false
    change({ ...before, [isProduct ? 'product' : (next?.key ?? 'from')]: found })
    app.tell('taken', isProduct ? found.name : found.code, at, texts[0])
    return true
  }
  const inTurn = useTurns()
  useCodes((...scan) => {
    const start = starts.current
    return inTurn(() => take(start, scan))
  })
  const restart = (): void => {
    // What is entered anew is meant anew.
    setAttempts(new Attempts())
    change({})
    setTyped('')
  }
  const startOver = (): void => {
    starts.current++
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
    if (isSaved !== true) return
    // The operator may have started over meanwhile, and scanned something else.
    if (latest.current === scanned) restart()
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
