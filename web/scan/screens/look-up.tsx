import type { FulfillmentClient, Scan } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatDay } from '../../shared/format.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import type { CodeHandler } from '../app/app.ts'
import { online } from '../app/calls.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { findBySku, findCode } from '../data/find.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import styles from './screens.module.css'

interface Found {
  title: string
  /** What the code says besides. */
  facts: string[]
  rows: { key: string | number; name: string; quantity: number }[]
  /** Reads on, where there is more. */
  more?: (() => Promise<Found>) | undefined
}

const MAX_PRODUCTS = 100

/** Stock of a product by location, or of a location by product; the lines of an order. */
export function LookUp() {
  const app = useApp()
  const [found, setFound] = useState<Found>()
  const [typed, setTyped] = useState('')
  useTitle(t.lookUp.title)
  const look: CodeHandler = async (texts, at, codes, begun) => {
    const result = await online(app, async () => (await find(app.api.client, texts, codes)) ?? false, begun)
    if (result === undefined) return true
    if (result === false) return false
    setFound(result)
    app.tell('taken', result.title, at, texts[0])
    return true
  }
  useCodes(look, { leads: true })
  const showMore = async (more: () => Promise<Found>): Promise<void> => {
    const all = await online(app, more)
    // Something else may have been looked up meanwhile.
    if (all !== undefined) setFound((shown) => (shown?.more === more ? all : shown))
  }
  return (
    <div className={styles.screen}>
      <h1>{t.lookUp.title}</h1>
      <form
        className={styles.inline}
        onSubmit={(event) => {
          event.preventDefault()
          app.feedback.unlock()
          app.scan([typed], performance.now())
        }}
      >
        <Field label={t.lookUp.code} value={typed} onChange={setTyped} required />
        <Button isSubmit>{t.lookUp.find}</Button>
      </form>
      {found === undefined ? <p>{t.lookUp.hint}</p> : <Levels found={found} onMore={(more) => void showMore(more)} />}
    </div>
  )
}

function Levels({ found, onMore }: { found: Found; onMore: (more: () => Promise<Found>) => void }) {
  const { title, facts, rows, more } = found
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {facts.map((fact) => (
        <p key={fact}>{fact}</p>
      ))}
      {rows.length === 0 && <p>{t.lookUp.none}</p>}
      <ul className={styles.list}>
        {rows.map(({ key, name, quantity }) => (
          <li key={key} className={styles.line}>
            {t.pick.at(name, quantity)}
          </li>
        ))}
      </ul>
      {more !== undefined && <Button onClick={() => onMore(more)}>{t.lookUp.more}</Button>}
    </section>
  )
}

async function find(client: FulfillmentClient, texts: readonly string[], codes: readonly string[]): Promise<Found | undefined> {
  const found = await findCode(client, texts, codes)
  if (found?.product) return await stockOfProduct(client, found.product.id, factsOf(found))
  if (found?.location) return await stockAt(client, found.location)
  if (found?.order) return await linesOf(client, found.order.id)
  const product = await findBySku(client, texts)
  return product && (await stockOfProduct(client, product.id, []))
}

/** What the code of a product says besides. */
function factsOf({ quantity, lot, serial, expires_on }: Scan): string[] {
  const { lookUp } = t
  return [
    ...(quantity === null || quantity === 1 ? [] : [lookUp.standsFor(quantity)]),
    ...(lot === null ? [] : [lookUp.lot(lot)]),
    ...(serial === null ? [] : [lookUp.serial(serial)]),
    ...(expires_on === null ? [] : [lookUp.expires(formatDay(expires_on))]),
  ]
}

async function stockOfProduct(client: FulfillmentClient, id: number, facts: string[]): Promise<Found> {
  const { name, stock } = await client.products.get(id)
  const rows = stock.map(({ location_id, location_code, quantity }) => ({ key: location_id, name: location_code, quantity }))
  return { title: name, facts, rows }
}

/** What lies at a location. Products that lie there no more are left out; `before` are the rows of the pages before. */
async function stockAt(
  client: FulfillmentClient,
  location: { id: string; code: string },
  page = 1,
  before: Found['rows'] = [],
): Promise<Found> {
  const { id, code } = location
  const { products, pagination } = await client.stock.overview({ location_id: id, limit: MAX_PRODUCTS, page })
  const levels = products.map(({ product_id, name, levels }) => ({
    key: product_id,
    name,
    quantity: levels.find(({ location_id }) => location_id === id)?.quantity ?? 0,
  }))
  const rows = [...before, ...levels.filter(({ quantity }) => quantity !== 0)]
  const more = page < pagination.total_pages ? () => stockAt(client, location, page + 1, rows) : undefined
  return rows.length === 0 && more !== undefined ? await more() : { title: code, facts: [], rows, more }
}

async function linesOf(client: FulfillmentClient, orderId: number): Promise<Found> {
  const { order_tenant_id, state_name, customer_name, order_detail } = await client.orders.get(orderId)
  const rows = order_detail.map(({ id, product_name, quantity }) => ({ key: id, name: product_name, quantity }))
  return { title: order_tenant_id, facts: [state_name, ...(customer_name === null ? [] : [customer_name])], rows }
}
