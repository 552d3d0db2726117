/** Reservations as the documentation describes them, in memory and for one caller. */

export type Policy = 'off' | 'track' | 'strict'

export interface ModelLine {
  id: number
  product: number
  quantity: number
  picked: number
  /** Part of `quantity` by which picks may differ from it. */
  tolerance: number
  reserved: number
  backordered: number
}

/** What is still to be picked of a line: nothing once it is fulfilled. */
export const openOf = ({ quantity, picked, tolerance }: ModelLine): number =>
  picked >= quantity * (1 - tolerance) ? 0 : quantity - picked

interface ModelPick {
  id: string
  product: number
  location: string
  taken: { line: ModelLine; quantity: number }[]
}

export interface ModelOrder {
  id: number
  warehouse: number
  date: string
  isOpen: boolean
  lines: ModelLine[]
  flow?: { id: number; picks: ModelPick[] }
}

interface HoldLine {
  product: number
  reserved: number
}

export interface ModelHold {
  id: number
  warehouse: number
  isActive: boolean
  lines: HoldLine[]
}

interface Wanted {
  product: number
  quantity: number
}

interface ModelLocation {
  warehouse: number
  isSellable: boolean
}

/** A row of the list of reservations. */
export interface ModelReservation {
  product_id: number
  warehouse_id: number
  order_id: number | null
  order_detail_id: number | null
  hold_id: number | null
  reserved_quantity: number
  backordered_quantity: number
}

const sum = (quantities: number[]): number => quantities.reduce((total, quantity) => total + quantity, 0)
const byRank = (a: ModelOrder, b: ModelOrder): number => a.date.localeCompare(b.date) || a.id - b.id

/** A tenant with several warehouses. */
export class Model {
  policy: Policy
  products: readonly number[]
  readonly warehouses: readonly number[]
  readonly locations = new Map<string, ModelLocation>()
  readonly orders: ModelOrder[] = []
  readonly holds: ModelHold[] = []
  /** By product and location. */
  readonly #stock = new Map<number, Map<string, number>>()

  constructor(policy: Policy, products: readonly number[], warehouses: readonly number[]) {
    this.policy = policy
    this.products = products
    this.warehouses = warehouses
    for (const product of products) this.#stock.set(product, new Map())
  }

  addProduct(product: number): void {
    this.products = [...this.products, product]
    this.#stock.set(product, new Map())
  }

  /** The levels of a product that were ever set, by location. */
  levels(product: number): ReadonlyMap<string, number> {
    return this.#stock.get(product) ?? new Map()
  }

  level(product: number, location: string): number {
    return this.#stock.get(product)?.get(location) ?? 0
  }

  numbers(product: number, warehouse: number) {
    const levels = [...this.locations].filter(([, location]) => location.warehouse === warehouse)
    const onHand = sum(levels.map(([id]) => this.level(product, id)))
    const unsellable = sum(levels.map(([id, { isSellable }]) => (isSellable ? 0 : this.level(product, id))))
    const held = sum(this.#heldLines(product, warehouse).map((line) => line.reserved))
    const lines = this.#linesOf(product, warehouse)
    const reserved = held + sum(lines.map((line) => line.reserved))
    const backordered = sum(lines.map((line) => line.backordered))
    return { on_hand: onHand, unsellable, reserved, held, available: onHand - unsellable - reserved, backordered, incoming: 0 }
  }

  /** All of them, in the order of the list. */
  reservations(): ModelReservation[] {
    const none = { order_id: null, order_detail_id: null, hold_id: null, backordered_quantity: 0 }
    return this.#pairs().flatMap(([product, warehouse]) => {
      const pair = { ...none, product_id: product, warehouse_id: warehouse }
      const ofOrders = this.#openOrders(warehouse).flatMap(({ id: order_id, lines }) =>
        lines
          .filter((line) => line.product === product && line.reserved + line.backordered > 0)
          .map(({ id: order_detail_id, reserved, backordered }) => ({
            ...pair,
            order_id,
            order_detail_id,
            reserved_quantity: reserved,
            backordered_quantity: backordered,
          })),
      )
      const ofHolds = this.holds
        .filter((hold) => hold.warehouse === warehouse)
        .toSorted((a, b) => a.id - b.id)
        .flatMap(({ id: hold_id, lines }) =>
          lines
            .filter((line) => line.product === product && line.reserved > 0)
            .map(({ reserved }) => ({ ...pair, hold_id, reserved_quantity: reserved })),
        )
      return [...ofOrders, ...ofHolds]
    })
  }

  /** What the order shows: undefined while nothing is reserved. */
  statusOf({ isOpen, lines }: ModelOrder): 'reserved' | 'backordered' | null | undefined {
    if (this.policy === 'off') return undefined
    if (!isOpen) return null
    return lines.some(({ backordered }) => backordered > 0) ? 'backordered' : 'reserved'
  }

  setPolicy(policy: Policy): void {
    const wasOff = this.policy === 'off'
    this.policy = policy
    if (policy === 'off') {
      for (const line of this.orders.flatMap(({ lines }) => lines)) Object.assign(line, { reserved: 0, backordered: 0 })
      for (const hold of this.holds) end(hold)
    } else if (wasOff)
      for (const { lines } of this.orders.filter(({ isOpen }) => isOpen))
        for (const line of lines) line.backordered = openOf(line)
    this.settle()
  }

  setLevels(levels: readonly { product: number; location: string; quantity: number }[]): void {
    for (const { product, location, quantity } of levels) this.#stock.get(product)?.set(location, quantity)
    this.settle()
  }

  setLocation(id: string, change: Partial<ModelLocation>): void {
    Object.assign(this.locations.get(id) as ModelLocation, change)
    this.settle()
  }

  /** Whether all of it is available, what the hold has included. */
  fits(lines: readonly Wanted[], warehouse: number, hold?: ModelHold): boolean {
    return this.products.every((product) => {
      const wanted = sum(lines.map((line) => (line.product === product ? line.quantity : 0)))
      return wanted === 0 || wanted <= this.#free(product, warehouse) + own(hold, product)
    })
  }

  addOrder(order: Omit<ModelOrder, 'isOpen'>, hold?: ModelHold): void {
    const owned = new Map(this.products.map((product) => [product, own(hold, product)]))
    const free = new Map(this.products.map((product) => [product, this.#free(product, order.warehouse)]))
    this.orders.push({ ...order, isOpen: true })
    if (this.policy === 'off') return
    for (const line of order.lines) {
      const fromHold = Math.min(line.quantity, owned.get(line.product) ?? 0)
      const fromFree = Math.min(line.quantity - fromHold, free.get(line.product) ?? 0)
      owned.set(line.product, (owned.get(line.product) ?? 0) - fromHold)
      free.set(line.product, (free.get(line.product) ?? 0) - fromFree)
      line.reserved = fromHold + fromFree
      line.backordered = line.quantity - line.reserved
    }
    if (hold?.isActive === true) end(hold)
    this.settle()
  }

  addHold(id: number, warehouse: number, lines: readonly Wanted[]): void {
    this.holds.push({ id, warehouse, isActive: true, lines: held(lines) })
  }

  changeHold(hold: ModelHold, lines: readonly Wanted[]): void {
    hold.lines = held(lines)
    this.settle()
  }

  /** Released, or expired. */
  endHold(hold: ModelHold): void {
    end(hold)
    this.settle()
  }

  /** Expired, before what it had is given to others. */
  endHoldUnsettled(hold: ModelHold): void {
    end(hold)
  }

  /** What the lines of an order can still take of a product. */
  room(order: ModelOrder, product: number): number {
    return sum(order.lines.map((line) => (line.product === product ? line.quantity * (1 + line.tolerance) - line.picked : 0)))
  }

  /** Whether what is picked there leaves what is reserved to what is sellable. */
  isElsewhere(order: ModelOrder, location: string): boolean {
    const at = this.locations.get(location)
    return at?.warehouse !== order.warehouse || !at.isSellable
  }

  /** By default from all lines of the product. */
  pick(
    order: ModelOrder,
    id: string,
    product: number,
    location: string,
    quantity: number,
    lines = order.lines.filter((line) => line.product === product),
  ): void {
    const taken: ModelPick['taken'] = []
    let left = quantity
    // All up to what was ordered, then all up to their upper bounds.
    for (const most of [0, 1])
      for (const line of lines) {
        const part = Math.max(Math.min(left, line.quantity * (1 + most * line.tolerance) - line.picked), 0)
        left -= part
        line.picked += part
        if (part > 0) taken.push({ line, quantity: part })
      }
    const [first, second] = this.isElsewhere(order, location)
      ? (['backordered', 'reserved'] as const)
      : (['reserved', 'backordered'] as const)
    for (const line of this.policy === 'off' ? [] : lines) {
      const less = line.reserved + line.backordered - openOf(line)
      const fromFirst = Math.min(less, line[first])
      line[first] -= fromFirst
      line[second] -= less - fromFirst
    }
    order.flow?.picks.push({ id, product, location, taken })
    this.setLevels([{ product, location, quantity: this.level(product, location) - quantity }])
  }

  undo(order: ModelOrder, id: string): void {
    this.#putBack(order, order.flow?.picks.filter((pick) => pick.id === id) ?? [])
  }

  cancelFlow(order: ModelOrder): void {
    this.#putBack(order, order.flow?.picks ?? [])
    delete order.flow
  }

  /** The order is completed if all of it is picked. */
  completeFlow(order: ModelOrder): void {
    delete order.flow
    if (order.lines.every((line) => openOf(line) === 0)) this.endOrder(order, false)
  }

  endOrder(order: ModelOrder, isCancelled: boolean): void {
    this.#returnStock(isCancelled ? (order.flow?.picks ?? []) : [])
    order.isOpen = false
    delete order.flow
    for (const line of order.lines) Object.assign(line, { reserved: 0, backordered: 0 })
    this.settle()
  }

  /** All products and warehouses: those that nothing has changed are settled already. */
  settle(): void {
    if (this.policy === 'off') return
    for (const [product, warehouse] of this.#pairs()) {
      this.#takeExcess(product, warehouse)
      this.#serve(product, warehouse)
    }
  }

  #takeExcess(product: number, warehouse: number): void {
    let excess = -this.numbers(product, warehouse).available
    for (const line of this.#heldLines(product, warehouse)) {
      const cut = Math.max(Math.min(excess, line.reserved), 0)
      line.reserved -= cut
      excess -= cut
    }
    for (const line of this.#linesOf(product, warehouse).toReversed()) {
      const cut = Math.max(Math.min(excess, line.reserved), 0)
      line.reserved -= cut
      line.backordered += cut
      excess -= cut
    }
  }

  #serve(product: number, warehouse: number): void {
    let free = this.numbers(product, warehouse).available
    for (const line of this.#linesOf(product, warehouse)) {
      const given = Math.max(Math.min(free, line.backordered), 0)
      line.reserved += given
      line.backordered -= given
      free -= given
    }
  }

  #putBack(order: ModelOrder, picks: readonly ModelPick[]): void {
    this.#returnStock(picks)
    const reopened = picks.flatMap(({ taken }) => taken)
    for (const line of order.lines) {
      line.picked -= sum(reopened.map((part) => (part.line === line ? part.quantity : 0)))
      if (this.policy === 'off') continue
      const more = openOf(line) - line.reserved - line.backordered
      const given = Math.max(Math.min(more, this.numbers(line.product, order.warehouse).available), 0)
      line.reserved += given
      line.backordered += more - given
    }
    if (order.flow !== undefined) order.flow.picks = order.flow.picks.filter((pick) => !picks.includes(pick))
    this.settle()
  }

  #returnStock(picks: readonly ModelPick[]): void {
    for (const { product, location, taken } of picks)
      this.#stock.get(product)?.set(location, this.level(product, location) + sum(taken.map(({ quantity }) => quantity)))
  }

  #free(product: number, warehouse: number): number {
    const { available, backordered } = this.numbers(product, warehouse)
    return Math.max(available - backordered, 0)
  }

  #pairs(): [product: number, warehouse: number][] {
    const warehouses = this.warehouses.toSorted((a, b) => a - b)
    return this.products
      .toSorted((a, b) => a - b)
      .flatMap((product) => warehouses.map((warehouse): [number, number] => [product, warehouse]))
  }

  #openOrders(warehouse: number): ModelOrder[] {
    return this.orders.filter((order) => order.isOpen && order.warehouse === warehouse).toSorted(byRank)
  }

  /** Of open orders, by rank. */
  #linesOf(product: number, warehouse: number): ModelLine[] {
    return this.#openOrders(warehouse)
      .flatMap(({ lines }) => lines)
      .filter((line) => line.product === product)
  }

  /** Those that lose first come first. */
  #heldLines(product: number, warehouse: number): HoldLine[] {
    return this.holds
      .filter((hold) => hold.warehouse === warehouse)
      .toSorted((a, b) => b.id - a.id)
      .flatMap(({ lines }) => lines.toReversed())
      .filter((line) => line.product === product)
  }
}

const own = (hold: ModelHold | undefined, product: number): number =>
  hold?.isActive === true ? sum(hold.lines.map((line) => (line.product === product ? line.reserved : 0))) : 0

const held = (lines: readonly Wanted[]): HoldLine[] => lines.map(({ product, quantity }) => ({ product, reserved: quantity }))

function end(hold: ModelHold): void {
  hold.isActive = false
  for (const line of hold.lines) line.reserved = 0
}
