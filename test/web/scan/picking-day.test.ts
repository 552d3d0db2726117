import { expect, inject } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import type { Entry } from '../../../web/scan/queue/entry.ts'
import { freePort } from '../../support/free-port.ts'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, type PickableProduct, stockedProduct } from '../../support/picking.ts'
import { newTenant } from '../../support/service.ts'
import { cloneDatabase } from '../../support/test-database.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import { type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts'
import { whenSent } from '../support/picking-day/device-queue.ts'
import { Dice } from '../support/picking-day/dice.ts'
import { look } from '../support/picking-day/hands.ts'
import { type Goods, Ledger, sums } from '../support/picking-day/ledger.ts'
import { disturb, OFFICE_PICK, restock } from '../support/picking-day/office.ts'
import { Operator, type OrderToPick } from '../support/picking-day/operator.ts'
import { ProblemSolver } from '../support/picking-day/problem-solver.ts'
import { Trouble, type TroubleKind } from '../support/picking-day/trouble.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'
import { windowBehind } from '../support/window-behind.ts'

/** `npm run test:day` picks 300 orders. */
const ORDERS = Number(process.env.PICKING_DAY_ORDERS ?? 12)
const SEED = Number(process.env.PICKING_DAY_SEED ?? Date.now())
/** Of a full day, on a machine that does something else too. */
const TIMEOUT_MS = 120_000 + ORDERS * 20_000
const some = expect.toSatisfy((count: number) => count > 0)
const PRODUCTS = 12
const LOCATIONS = ['A-01', 'A-02', 'A-10', 'B-01', 'B-07', 'C-03']
const DISTURBED = 0.2
/** Beside what chance brings, this happens as soon as it can, from the third step of the order with that number on. */
const PLANNED: Record<number, TroubleKind> = { 2: 'cut', 4: 'reload', 6: 'restart' }
const ORDERS_PER_PLAN = 12
const STEP = 3
const ENOUGH = 25

/** A server in a process of its own, which can be killed, behind a network that loses requests. */
const it = base.extend('site', async ({ startProcess, folder }, { onCleanup }) => {
  const database = await cloneDatabase(inject('postgresUrl'))
  const db = openDatabase(database.url, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const settings = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: String(await freePort()) }
  let server = await startProcess(settings)
  const proxy: FaultyProxy = await startFaultyProxy(server.url)
  onCleanup(async () => {
    await proxy.close()
    await server.end('SIGTERM')
    await db.close()
    await database.drop()
  })
  const restart = async (): Promise<void> => {
    await server.end('SIGKILL')
    server = await startProcess(settings)
  }
  return { db, proxy, restart, tenant: await newTenant(server.url, db) }
})

it(
  `a day of ${ORDERS} orders with shorts, undos, outages, reloads and changes by others: each ok is a pick or a problem`,
  { timeout: TIMEOUT_MS },
  async ({ site: { db, proxy, restart, tenant }, openWindow, onTestFailed }) => {
    onTestFailed(() => console.error(`PICKING_DAY_SEED=${SEED} draws the same day`))
    const dice = new Dice(SEED)
    const { products, orders } = await dayOf(tenant, dice)
    const window = await windowBehind(proxy, openWindow)
    window.expectComplaint(/ERR_INTERNET_DISCONNECTED|ERR_EMPTY_RESPONSE|ERR_CONNECTION|ERR_NETWORK|Failed to (fetch|load)/)
    const { page, context } = window
    await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    const ledger = new Ledger()
    const trouble = new Trouble({ page, context, proxy, dice, restart })
    const changes = new Map<string, number>()
    let steps = 0
    let order: OrderToPick | undefined
    const planned: TroubleKind[] = []
    const beforeStep = async (): Promise<void> => {
      await trouble.maybe()
      steps++
      if (steps >= STEP && planned[0] !== undefined && (await trouble.have(planned[0]))) planned.shift()
      if (steps !== STEP || order?.isDisturbed !== true) return
      // What others change is known to the device when it is too late.
      await trouble.mend()
      await trouble.cut()
      const what = await disturb(tenant, order, products, dice)
      changes.set(what, (changes.get(what) ?? 0) + 1)
    }
    const operator = new Operator({ page, dice, ledger, beforeStep })
    const solver = new ProblemSolver(page, dice, ledger)
    const startedAt = performance.now()
    for (order of orders) {
      steps = 0
      const next = PLANNED[order.number % ORDERS_PER_PLAN]
      if (next !== undefined) planned.push(next)
      await operator.pick(order)
      await trouble.mend()
      if (dice.falls(0.7)) await solver.solve(0.7)
      if (order.number % ORDERS_PER_PLAN === 0) await restock(tenant, products.values(), ENOUGH)
    }
    proxy.fault = () => 'none'
    const queue = await whenSent(page)
    const seconds = (performance.now() - startedAt) / 1000
    report({ seconds, operator, solver, trouble, changes, queue })
    expect(trouble.done).toMatchObject({ cuts: some, reloads: some, restarts: some })
    await expectEachOk(tenant, orders, ledger, queue, products)
    expect((await look(page)).refused).toBe(queue.filter(({ state }) => state === 'refused').length)
    await expectBalanced(tenant)
    await expectConsistentPicking(db, tenant)
    await context.close()
  },
)

/** Products with stock, and orders of one to five lines, some of which others will change. */
async function dayOf(tenant: TestTenant, dice: Dice) {
  const products = new Map<number, PickableProduct>()
  for (let number = 0; number < PRODUCTS; number++) {
    const locations = [dice.one(LOCATIONS), dice.one(LOCATIONS)]
    const stock = Object.fromEntries(locations.map((code) => [code, ENOUGH]))
    const product = await stockedProduct(tenant, stock, { name: `Tea ${number}`, barcode: `40063813${1000 + number}` })
    products.set(product.id, product)
  }
  const orders: OrderToPick[] = []
  for (let number = 1; number <= ORDERS; number++) {
    const lines = [...products.values()].filter(() => dice.falls(0.25))
    const chosen = lines.length === 0 ? [dice.one([...products.values()])] : lines
    const order_detail = chosen.map(({ barcode }) => ({ barcode, quantity: dice.one([1, 1, 1, 2, 2, 3, 5, 8, 12]) }))
    const order = await newOrder(tenant, { order_tenant_id: `DAY-${number}`, order_detail })
    orders.push({ ...order, number, isDisturbed: dice.falls(DISTURBED) })
  }
  return { products, orders }
}

/** What the operator took is a pick on the server or among the problems, and nowhere twice. */
async function expectEachOk(
  tenant: TestTenant,
  orders: readonly OrderToPick[],
  ledger: Ledger,
  queue: readonly Entry[],
  products: ReadonlyMap<number, PickableProduct>,
): Promise<void> {
  const differences = []
  for (const { id, order_tenant_id } of orders) {
    const picks = await picksOf(tenant, id, ledger)
    const refused = queue.filter(({ kind, about }) => kind === 'pick' && about.order_tenant_id === order_tenant_id)
    expect(picks.filter((pick) => refused.some(({ pick_id }) => pick_id === pick.id))).toEqual([])
    const goods: Goods[] = [
      ...picks.map(({ product_id, location_id, quantity }) => ({
        product: products.get(product_id)?.name ?? '',
        location: location_id,
        quantity,
      })),
      ...refused.map(({ about, body }) => ({
        product: about.product_name,
        location: about.location_code,
        quantity: body?.quantity ?? 0,
      })),
    ]
    const [found, expected] = [sums(goods), ledger.of(order_tenant_id)]
    if (JSON.stringify(found) !== JSON.stringify(expected)) differences.push({ order_tenant_id, found, expected })
  }
  expect(differences, `seed ${SEED}`).toEqual([])
}

interface Pick {
  id: string
  product_id: number
  location_id: string
  quantity: number
}

/** Picks of an order by the device, but for flows that the operator has put back. */
async function picksOf(tenant: TestTenant, orderId: number, { dropped }: Ledger): Promise<Pick[]> {
  const { flows } = (await tenant.request('GET', `/flows?order_id=${orderId}`)).body.data
  const kept = (flows as { id: number }[]).filter(({ id }) => !dropped.has(id))
  const picks = await Promise.all(
    kept.map(async ({ id }) => (await tenant.request('GET', `/flows/${id}`)).body.data.picks as Pick[]),
  )
  return picks.flat().filter(({ id }) => !id.startsWith(OFFICE_PICK))
}

async function expectBalanced(tenant: TestTenant): Promise<void> {
  const { data } = (await tenant.request('GET', '/stock/reconcile?limit=100')).body
  expect(data).toMatchObject({ is_balanced: true, products_checked: PRODUCTS, next_cursor: null })
}

interface Figures {
  seconds: number
  operator: Operator
  solver: ProblemSolver
  trouble: Trouble
  changes: ReadonlyMap<string, number>
  queue: readonly Entry[]
}

/** For people, of a full day. */
function report({ seconds, operator: { verdicts, done }, solver, trouble, changes, queue }: Figures): void {
  if (process.env.PICKING_DAY_ORDERS === undefined) return
  const sorted = verdicts.toSorted((one, other) => one - other)
  const at = (share: number): string => `${sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(0)} ms`
  console.log(
    [
      `seed ${SEED}: ${ORDERS} orders in ${seconds.toFixed(0)} s`,
      `${sorted.length} verdicts: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`,
      `operator: ${JSON.stringify(Object.fromEntries(done))}`,
      `ways out of problems: ${JSON.stringify(Object.fromEntries(solver.done))}`,
      `trouble: ${JSON.stringify(trouble.done)}`,
      `others: ${JSON.stringify(Object.fromEntries(changes))}`,
      `left in Problems: ${queue.filter(({ state }) => state === 'refused').length}`,
    ].join('\n'),
  )
}
