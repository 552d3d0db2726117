import type { Shipment } from '@fulfillment/sdk'
import { useState } from 'react'
import { packing } from '../../../shared/texts/scan-packing-texts.ts'
import type { CodeHandler } from '../../app/app.ts'
import { online } from '../../app/calls.ts'
import { useApp, useCodes, useTitle } from '../../app/use-app.ts'
import { useReading } from '../../app/use-reading.ts'
import { findCode } from '../../data/find.ts'
import { Button } from '../../kit/button.tsx'
import { CodeField } from '../code-field.tsx'
import styles from '../screens.module.css'

const MOST = 50

/** Asks for an order; those with an open shipment can be tapped. */
export function OrdersToPack() {
  const app = useApp()
  const [open, setOpen] = useState<Shipment[]>()
  const { isOnline } = app.ui
  useTitle(packing.title)
  const refusal = useReading(async () => {
    const { shipments } = await app.api.client.shipments.list({ state: 'open', limit: MOST })
    setOpen(shipments)
  })
  const pack = (id: number, name: string, { begun = app.begin(), at = performance.now(), scanned = name } = {}): void => {
    if (app.goOn(begun, { name: 'pack', record: id })) app.tell('taken', name, at, scanned)
  }
  const find: CodeHandler = async (texts, at, codes, begun) => {
    const found = await online(app, async () => (await findCode(app.api.client, texts, codes)) ?? null, begun)
    // The operator knows by now that the search failed.
    if (found === undefined) return true
    if (found?.order) pack(found.order.id, found.order.order_tenant_id, { begun, at, scanned: texts[0] })
    else if (found?.product) app.stop({ message: packing.scanOrder(found.product.name), scanned: texts[0] }, at)
    else return false
    return true
  }
  useCodes(find, { leads: true })
  const orders = new Map(open?.map(({ order_id, order_tenant_id }) => [order_id, order_tenant_id]))
  return (
    <div className={styles.screen}>
      <h1>{packing.title}</h1>
      {isOnline ? <p className={styles.expected}>{packing.hint}</p> : <p className={styles.notice}>{packing.offline}</p>}
      <CodeField />
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {open?.length === 0 && <p>{packing.none}</p>}
      <ul aria-label={packing.title} className={styles.list}>
        {[...orders].map(([id, name]) => (
          <li key={id} className={styles.order}>
            <Button kind="quiet" onClick={() => pack(id, name)}>
              {packing.goOn(name)}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}
