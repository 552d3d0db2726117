import { orderFor } from '../../support/orders.ts'
import { OPERATOR, type PickableProduct } from '../../support/picking.ts'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'

/** An order that was created, and its products. */
interface KnownOrder {
  id: number
  products: PickableProduct[]
}

/** What random callers share. */
export interface Stage {
  tenant: TestTenant
  products: PickableProduct[]
  locations: string[]
  /** Besides the default one. */
  warehouses: number[]
  /** Created so far, by all callers. */
  orders: KnownOrder[]
  /** Created so far, by all callers. */
  holds: { id: number; reference: string }[]
  /** No location changes. */
  keepsLocations?: boolean
  /** Makes a hold expire this soon. Holds of the API live for 10 seconds at least. */
  expireIn?: (holdId: number, ms: number) => Promise<unknown>
}

interface Caller extends Stage {
  next: () => number
  /** The running flow of the caller, its order, and its picks. */
  flow?: { id: number; order: KnownOrder }
  picks: string[]
}

type Action = (caller: Caller) => Promise<ServiceResponse | undefined>

/** Makes a number of random calls, one after the other, and returns their responses. The seed decides what it tries. */
export async function randomCaller(stage: Stage, seed: number, calls: number): Promise<ServiceResponse[]> {
  const caller: Caller = { ...stage, next: randomNumbers(seed), picks: [] }
  const responses: ServiceResponse[] = []
  while (responses.length < calls) {
    const response = await one(caller, ACTIONS)(caller)
    if (response !== undefined) responses.push(response)
  }
  return responses
}

/** Park and Miller. */
function randomNumbers(seed: number): () => number {
  let state = seed * 7_919
  return () => (state = (state * 48_271) % 2_147_483_647)
}

const one = <T>({ next }: Caller, items: readonly T[]): T => items[next() % items.length] as T

const createOrder: Action = async (caller) => {
  const { tenant, next } = caller
  const products = Array.from({ length: 1 + (next() % 3) }, () => one(caller, caller.products))
  const lines = products.map(({ barcode }) => ({ barcode, quantity: 1 + (next() % 4) }))
  const hold = caller.holds.length > 0 && next() % 3 === 0 ? { hold: one(caller, caller.holds).reference } : {}
  const order = await orderFor(tenant, {
    assembly_date: `2026-12-0${1 + (next() % 9)}`,
    allow_backorder: next() % 2 === 0,
    order_detail: lines,
    ...hold,
    ...(next() % 3 === 0 && caller.warehouses.length > 0 ? { warehouse_id: one(caller, caller.warehouses) } : {}),
  })
  const response = await tenant.request('POST', '/orders', order)
  if (response.status === 200) caller.orders.push({ id: response.body.data.orders[0].id, products })
  return response
}

const onOrder =
  (path: (id: number) => string, method: string, bodyOf: (caller: Caller) => object): Action =>
  async (caller) =>
    caller.orders.length === 0 ? undefined : caller.tenant.request(method, path(one(caller, caller.orders).id), bodyOf(caller))

const cancelOrder = onOrder(
  (id) => `/orders/${id}/cancel`,
  'POST',
  () => ({}),
)
const completeOrder = onOrder(
  (id) => `/orders/${id}`,
  'PUT',
  () => ({ state_id: 5 }),
)
const changeDate = onOrder(
  (id) => `/orders/${id}`,
  'PUT',
  ({ next }) => ({ assembly_date: `2026-12-0${1 + (next() % 9)}` }),
)

const startFlow: Action = async (caller) => {
  if (caller.flow !== undefined || caller.orders.length === 0) return undefined
  const order = one(caller, caller.orders)
  const response = await caller.tenant.request('POST', '/flows', { order_id: order.id, ...OPERATOR })
  if (response.status === 200) Object.assign(caller, { flow: { id: response.body.data.id, order }, picks: [] })
  return response
}

const pick: Action = async (caller) => {
  if (caller.flow === undefined) return startFlow(caller)
  const pick_id = `pick ${caller.next()}`
  const response = await caller.tenant.request('POST', `/flows/${caller.flow.id}/picks`, {
    product_id: one(caller, caller.flow.order.products).id,
    location_id: one(caller, caller.locations),
    quantity: 1 + (caller.next() % 3),
    pick_id,
  })
  if (response.status === 200) caller.picks.push(pick_id)
  return response
}

const undoPick: Action = async (caller) =>
  caller.picks.length === 0
    ? undefined
    : caller.tenant.request('DELETE', `/flows/${caller.flow?.id}/picks/${encodeURIComponent(one(caller, caller.picks))}`)

const endFlow =
  (verb: 'cancel' | 'complete'): Action =>
  async (caller) => {
    if (caller.flow === undefined) return undefined
    const response = await caller.tenant.request('POST', `/flows/${caller.flow.id}/${verb}`, {})
    Object.assign(caller, { flow: undefined, picks: [] })
    return response
  }

const setLevel: Action = (caller) =>
  caller.tenant.request('PUT', `/stock/product/${one(caller, caller.products).id}`, {
    location_id: one(caller, caller.locations),
    quantity: caller.next() % 12,
  })

const adjust: Action = (caller) =>
  caller.tenant.request('POST', '/stock/adjustment', {
    product_id: one(caller, caller.products).id,
    location_id: one(caller, caller.locations),
    adjustment_quantity: (caller.next() % 9) - 4 || 1,
  })

const setSeveral: Action = (caller) =>
  caller.tenant.request('POST', '/stock/bulk', {
    updates: [1, 2, 3].map(() => ({
      product_id: one(caller, caller.products).id,
      location_id: one(caller, caller.locations),
      quantity: caller.next() % 12,
    })),
  })

const transfer: Action = (caller) =>
  caller.tenant.request('POST', '/stock/transfer', {
    product_id: one(caller, caller.products).id,
    from_location_id: one(caller, caller.locations),
    to_location_id: one(caller, caller.locations),
    quantity: 1 + (caller.next() % 4),
  })

const changeLocation: Action = async (caller) =>
  caller.keepsLocations === true
    ? undefined
    : caller.tenant.request('PUT', `/locations/${one(caller, caller.locations)}`, { sellable: caller.next() % 2 === 0 })

const moveLocation: Action = async (caller) =>
  caller.warehouses.length === 0 || caller.keepsLocations === true
    ? undefined
    : caller.tenant.request('PUT', `/locations/${one(caller, caller.locations)}`, {
        warehouse_id: one(caller, caller.warehouses),
      })

const linesOf = (caller: Caller) =>
  Array.from({ length: 1 + (caller.next() % 2) }, () => ({
    sku: one(caller, caller.products).sku,
    quantity: 1 + (caller.next() % 3),
  }))

/** Some holds expire a moment later. */
const createHold: Action = async (caller) => {
  const reference = `cart ${caller.next()}`
  const response = await caller.tenant.request('POST', '/holds', { reference, lines: linesOf(caller) })
  if (response.status !== 200) return response
  const { id } = response.body.data
  caller.holds.push({ id, reference })
  if (caller.next() % 2 === 0) await caller.expireIn?.(id, caller.next() % 500)
  return response
}

const onHold =
  (method: string, bodyOf: (caller: Caller) => object | undefined): Action =>
  async (caller) =>
    caller.holds.length === 0
      ? undefined
      : caller.tenant.request(method, `/holds/${one(caller, caller.holds).id}`, bodyOf(caller))

const changeHold = onHold('PUT', (caller) => ({ lines: linesOf(caller) }))
const releaseHold = onHold('DELETE', () => undefined)

/** Some are more frequent than others. */
const ACTIONS: Action[] = [
  createOrder,
  createOrder,
  createOrder,
  createOrder,
  cancelOrder,
  completeOrder,
  changeDate,
  startFlow,
  pick,
  pick,
  pick,
  pick,
  undoPick,
  endFlow('cancel'),
  endFlow('complete'),
  setLevel,
  adjust,
  adjust,
  setSeveral,
  transfer,
  createHold,
  createHold,
  changeHold,
  releaseHold,
  changeLocation,
  moveLocation,
]
