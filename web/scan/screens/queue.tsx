import type { FlowsQueueResult } from '@fulfillment/sdk'
import { ClipboardList, PackageCheck, PackagePlus, PackageX, ShoppingCart, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { formatDay } from '../../shared/format.ts'
import { localToday } from '../../shared/local-today.ts'
import { t } from '../../shared/texts/scan-texts.ts'
import type { CodeHandler } from '../app/app.ts'
import { online } from '../app/calls.ts'
import { ownWalks, readOwnFlows } from '../app/own-flows.ts'
import { nameOfWalk } from '../app/picking-actions.ts'
import { pickScreen, TILES } from '../app/screen.ts'
import { startFlow } from '../app/start-flow.ts'
import { useApp, useCodes, useTitle } from '../app/use-app.ts'
import { useReading } from '../app/use-reading.ts'
import { Button } from '../kit/button.tsx'
import styles from './screens.module.css'
import { UpdateButton } from './update-button.tsx'

type Order = FlowsQueueResult['orders'][number]

const PAGE = 50

/** Own running flows, and the orders that are ready. */
export function Queue() {
  const app = useApp()
  const [orders, setOrders] = useState<Order[]>([])
  const [total, setTotal] = useState<number>()
  const [limit, setLimit] = useState(PAGE)
  const [starting, setStarting] = useState<number>()
  const walks = ownWalks(app)
  useTitle(t.queue.title)
  const operatorId = app.kept.session?.operator?.id
  const readOrders = async (): Promise<void> => {
    await readOwnFlows(app)
    const pages = Math.ceil(limit / PAGE)
    const read = await Promise.all(
      Array.from({ length: pages }, (_, page) => app.api.client.flows.queue({ page: page + 1, limit: PAGE })),
    )
    setOrders(read.flatMap(({ orders }) => orders))
    setTotal(read[0]?.pagination.total)
  }
  const refusal = useReading(readOrders, [operatorId, limit])
  const start = async (id: number, at?: number, begun?: number): Promise<void> => {
    setStarting(id)
    await startFlow(app, id, at, begun)
    setStarting(undefined)
  }
  const startScanned: CodeHandler = async (texts, at, _codes, begun) => {
    const walk = walks.find(({ flows }) => flows.some(({ order_tenant_id }) => texts.includes(order_tenant_id)))
    if (walk !== undefined && app.goOn(begun, pickScreen(walk.key))) app.tell('taken', t.said.started(nameOfWalk(walk)), at)
    if (walk !== undefined) return true
    const listed = orders.find(({ order_tenant_id }) => texts.includes(order_tenant_id))
    const id = listed?.order_id ?? (await findOrder(app, texts))
    if (id !== undefined) await start(id, at, begun)
    // The operator knows by now that the search failed.
    return id !== undefined || app.ui.problem !== undefined
  }
  useCodes(startScanned, { leads: true, isList: true })
  const startTapped = (id: number): void => {
    if (starting === undefined) app.lead(start(id))
  }
  return (
    <div className={styles.screen}>
      <h1>{t.queue.title}</h1>
      <UpdateButton />
      {walks.map((walk) => (
        <Button key={walk.key} kind="primary" onClick={() => app.go(pickScreen(walk.key))}>
          {t.queue.goOn(nameOfWalk(walk))}
        </Button>
      ))}
      <Tiles />
      {!app.ui.isOnline && <p className={styles.notice}>{t.queue.offline}</p>}
      {refusal !== undefined && <p role="alert">{refusal}</p>}
      {total === 0 && <p>{t.queue.none}</p>}
      <ul aria-label={t.queue.title} className={styles.list}>
        {orders.map((order) => (
          <OrderItem
            key={order.order_id}
            order={order}
            isBusy={starting === order.order_id}
            onPick={() => startTapped(order.order_id)}
          />
        ))}
      </ul>
      {total !== undefined && total > orders.length && <Button onClick={() => setLimit(limit + PAGE)}>{t.queue.more}</Button>}
    </div>
  )
}

const ICONS = { receive: PackagePlus, return: PackageX, 'count-list': ClipboardList, batch: ShoppingCart, pack: PackageCheck }

/** What else is done with a handheld. */
function Tiles() {
  const app = useApp()
  return (
    <nav aria-label={t.goods.tiles} className={styles.tiles}>
      {TILES.map((name) => {
        const Icon = ICONS[name]
        return (
          <Button key={name} onClick={() => app.go({ name })}>
            <Icon aria-hidden />
            {t.goods.tile[name]}
          </Button>
        )
      })}
    </nav>
  )
}

/** The id of the order with exactly this identifier, ready or not: the server says why one can't be picked. */
async function findOrder(app: ReturnType<typeof useApp>, texts: readonly string[]): Promise<number | undefined> {
  for (const order_tenant_id of texts) {
    const found = await online(app, () => app.api.client.orders.list({ order_tenant_id, limit: 1 }))
    const order = found?.orders[0]
    if (order !== undefined || found === undefined) return order?.id
  }
  return undefined
}

function OrderItem({ order, isBusy, onPick }: { order: Order; isBusy: boolean; onPick: () => void }) {
  const { order_tenant_id, assembly_date, customer_name, open_lines, open_quantity } = order
  const isOverdue = assembly_date < localToday()
  return (
    <li className={styles.order}>
      <Button kind="quiet" isBusy={isBusy} onClick={onPick}>
        {t.queue.pick(order_tenant_id)}
      </Button>
      <span>{t.queue.lines(open_lines, open_quantity)}</span>
      <span className={isOverdue ? styles.overdue : ''}>
        {isOverdue && <TriangleAlert aria-hidden size={20} />}
        {isOverdue ? t.queue.overdue(formatDay(assembly_date)) : t.queue.due(formatDay(assembly_date))}
      </span>
      {customer_name !== null && <span className={styles.quiet}>{customer_name}</span>}
    </li>
  )
}
