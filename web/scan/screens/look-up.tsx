import { useState } from 'react'
import { t } from '../../shared/texts/scan-texts.ts'
import { online } from '../app/calls.ts'
import type { App } from '../app/app.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { findLocation, findProduct } from '../data/find.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import styles from './screens.module.css'

interface Found {
  title: string
  rows: { name: string; quantity: number }[]
}

const MOST_PRODUCTS = 100

/** Stock of a product by location, or of a location by product. */
export function LookUp() {
  const app = useApp()
  const [found, setFound] = useState<Found>()
  const [typed, setTyped] = useState('')
  useTitle(t.lookUp.title)
  const look = async (texts: readonly string[], at: number): Promise<boolean> => {
    const result = await online(app, async () => (await stockOfProduct(app, texts)) ?? (await stockAt(app, texts)) ?? false)
    if (result === undefined) return true
    if (result === false) return false
    setFound(result)
    app.tell('taken', result.title, at, texts[0])
    return true
  }
  useCodes(look)
  const lookTyped = async (): Promise<void> => {
    const at = performance.now()
    const isKnown = await look([typed.trim()], at)
    if (!isKnown) app.stop({ message: t.problem.unknown, scanned: typed }, at)
  }
  return (
    <div className={styles.screen}>
      <h1>{t.lookUp.title}</h1>
      <form
        className={styles.inline}
        onSubmit={(event) => {
          event.preventDefault()
          app.feedback.unlock()
          void lookTyped()
        }}
      >
        <Field label={t.lookUp.code} value={typed} onChange={setTyped} required />
        <Button isSubmit>{t.lookUp.find}</Button>
      </form>
      {found === undefined ? <p>{t.lookUp.hint}</p> : <Levels found={found} />}
    </div>
  )
}

function Levels({ found: { title, rows } }: { found: Found }) {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {rows.length === 0 && <p>{t.lookUp.none}</p>}
      <ul className={styles.list}>
        {rows.map(({ name, quantity }) => (
          <li key={name} className={styles.line}>
            {t.pick.at(name, quantity)}
          </li>
        ))}
      </ul>
    </section>
  )
}

async function stockOfProduct({ api }: App, texts: readonly string[]): Promise<Found | undefined> {
  const product = await findProduct(api.client, texts)
  if (product === undefined) return undefined
  const rows = product.stock.map(({ location_code, quantity }) => ({ name: location_code, quantity }))
  return { title: product.name, rows }
}

async function stockAt({ api }: App, texts: readonly string[]): Promise<Found | undefined> {
  const location = await findLocation(api.client, texts)
  if (location === undefined) return undefined
  const { products } = await api.client.stock.overview({ location_id: location.id, limit: MOST_PRODUCTS })
  const rows = products.map(({ name, levels }) => ({
    name,
    quantity: levels.find(({ location_id }) => location_id === location.id)?.quantity ?? 0,
  }))
  return { title: location.code, rows }
}
