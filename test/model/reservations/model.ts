/** Reservations as the documentation describes them, in memory and for one caller. */

interface ModelLine {
  id: number
  product: number
  quantity: number
  picked: number
  reserved: number
  backordered: number
}

interface ModelPick {
  id: string
  product: number
  location: string
  taken: { line: ModelLine; quantity: number }[]
}

export interface ModelOrder {
  id: number
  date: string
  isOpen: boolean
  lines: ModelLine[]
  flow?: { id: number; picks: ModelPick[] }
}

export interface ModelHold {
  id: number
  isActive: boolean
  lines: { product: number; reserved: number }[]
}

const sum = (quantities: number[]): number => quantities.reduce((total, quantity) => total + quantity, 0)

/** One warehouse of a tenant that reserves. */
export class Model {
  readonly policy: 'track' | 'strict'
  /** By product and location. */
  readonly stock = new Map<number, Map<string, number>>()
  readonly unsellable = new Set<string>()
  readonly orders: ModelOrder[] = []
  readonly holds: ModelHold[] = []

  constructor(policy: 'track' | 'strict', products: readonly number[]) {
    this.policy = policy
    for (const product of products) this.stock.set(product, new Map())
  }

  level(product: number, location: string): number {
    return this.stock.get(product)?.get(location) ?? 0
  }

  numbers(product: number) {
    const levels = [...(this.stock.get(product) ?? [])]
    const onHand = sum(levels.map(([, quantity]) => quantity))
    const unsellable = sum(levels.map(([location, quantity]) => (this.unsellable.has(location) ? quantity : 0)))
    const held = sum(this.holds.flatMap(({ lines }) => lines).map((line) => (line.product === product ? line.reserved : 0)))
    const lines = this.#linesOf(product)
    const reserved = held + sum(lines.map((line) => line.reserved))
    const backordered = sum(lines.map((line) => line.backordered))
    return { on_hand: onHand, unsellable, reserved, held, available: onHand - unsellable - reserved, backordered, incoming: 0 }
  }

  /** By rank. */
  reservations(product: number): [orderId: number, lineId: number, reserved: number, backordered: number][] {
    return this.orders
      .filter(({ isOpen }) => isOpen)
      .toSorted((a, b) => a.date.localeCompare(b.date) || a.id - b.id)
      .flatMap(({ id, lines }) => lines.map((line) => ({ ...line, order: id })))
      .filter((line) => line.product === product && line.reserved + line.backordered > 0)
      .map((line) => [line.order, line.id, line.reserved, line.backordered])
  }

  setLevel(product: number, location: string, quantity: number): void {
    this.stock.get(product)?.set(location, quantity)
    this.settle(product)
  }

  setSellable(location: string, isSellable: boolean): void {
    if (isSellable) this.unsellable.delete(location)
    else this.unsellable.add(location)
    for (const product of this.stock.keys()) this.settle(product)
  }

  /** Whether all of it is available, the hold included. */
  fits(lines: readonly { product: number; quantity: number }[], hold?: ModelHold): boolean {
    return [...this.stock.keys()].every((product) => {
      const wanted = sum(lines.map((line) => (line.product === product ? line.quantity : 0)))
      return wanted <= this.#free(product) + own(hold, product)
    })
  }

  addOrder(order: Omit<ModelOrder, 'isOpen'>, hold?: ModelHold): void {
    const owned = new Map([...this.stock.keys()].map((product) => [product, own(hold, product)]))
    const free = new Map([...this.stock.keys()].map((product) => [product, this.#free(product)]))
    for (const line of order.lines) {
      const fromHold = Math.min(line.quantity, owned.get(line.product) ?? 0)
      const fromFree = Math.min(line.quantity - fromHold, free.get(line.product) ?? 0)
      owned.set(line.product, (owned.get(line.product) ?? 0) - fromHold)
      free.set(line.product, (free.get(line.product) ?? 0) - fromFree)
      line.reserved = fromHold + fromFree
      line.backordered = line.quantity - line.reserved
    }
    if (hold?.isActive === true) end(hold)
    this.orders.push({ ...order, isOpen: true })
    for (const product of this.stock.keys()) this.settle(product)
  }

  addHold(id: number, lines: readonly { product: number; quantity: number }[]): void {
    this.holds.push({ id, isActive: true, lines: lines.map(({ product, quantity }) => ({ product, reserved: quantity })) })
  }

  release(hold: ModelHold): void {
    end(hold)
    for (const product of this.stock.keys()) this.settle(product)
  }

  /** What the lines of an order can still take of a product. */
  open(order: ModelOrder, product: number): number {
    return sum(order.lines.map((line) => (line.product === product ? line.quantity - line.picked : 0)))
  }

  pick(order: ModelOrder, id: string, product: number, location: string, quantity: number): void {
    const taken: ModelPick['taken'] = []
    let left = quantity
    for (const line of order.lines.filter((candidate) => candidate.product === product)) {
      const part = Math.min(left, line.quantity - line.picked)
      if (part === 0) continue
      left -= part
      line.picked += part
      const [first, second] = this.unsellable.has(location)
        ? (['backordered', 'reserved'] as const)
        : (['reserved', 'backordered'] as const)
      const fromFirst = Math.min(part, line[first])
      line[first] -= fromFirst
      line[second] -= part - fromFirst
      taken.push({ line, quantity: part })
    }
    this.stock.get(product)?.set(location, this.level(product, location) - quantity)
    order.flow?.picks.push({ id, product, location, taken })
    this.settle(product)
  }

  undo(order: ModelOrder, id: string): void {
    const undone = order.flow?.picks.filter((pick) => pick.id === id) ?? []
    this.#putBack(order, undone)
  }

  cancelFlow(order: ModelOrder): void {
    this.#putBack(order, order.flow?.picks ?? [])
    delete order.flow
  }

  endOrder(order: ModelOrder, isCancelled: boolean): void {
    const picks = isCancelled ? (order.flow?.picks ?? []) : []
    this.#returnStock(picks)
    order.isOpen = false
    delete order.flow
    for (const line of order.lines) Object.assign(line, { reserved: 0, backordered: 0 })
    for (const product of this.stock.keys()) this.settle(product)
  }

  settle(product: number): void {
    let excess = -this.numbers(product).available
    const heldLast = this.holds.toSorted((a, b) => b.id - a.id).flatMap(({ lines }) => lines.toReversed())
    for (const line of heldLast.filter((candidate) => candidate.product === product)) {
      const cut = Math.max(Math.min(excess, line.reserved), 0)
      line.reserved -= cut
      excess -= cut
    }
    for (const line of this.#linesOf(product).toReversed()) {
      const cut = Math.max(Math.min(excess, line.reserved), 0)
      line.reserved -= cut
      line.backordered += cut
      excess -= cut
    }
    let free = this.numbers(product).available
    for (const line of this.#linesOf(product)) {
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
      const quantity = sum(reopened.map((part) => (part.line === line ? part.quantity : 0)))
      const given = Math.max(Math.min(quantity, this.numbers(line.product).available), 0)
      line.picked -= quantity
      line.reserved += given
      line.backordered += quantity - given
    }
    if (order.flow !== undefined) order.flow.picks = order.flow.picks.filter((pick) => !picks.includes(pick))
    for (const product of this.stock.keys()) this.settle(product)
  }

  #returnStock(picks: readonly ModelPick[]): void {
    for (const { product, location, taken } of picks)
      this.stock.get(product)?.set(location, this.level(product, location) + sum(taken.map(({ quantity }) => quantity)))
  }

  #free(product: number): number {
    const { available, backordered } = this.numbers(product)
    return Math.max(available - backordered, 0)
  }

  /** Of open orders, by rank. */
  #linesOf(product: number): ModelLine[] {
    return this.orders
      .filter(({ isOpen }) => isOpen)
      .toSorted((a, b) => a.date.localeCompare(b.date) || a.id - b.id)
      .flatMap(({ lines }) => lines)
      .filter((line) => line.product === product)
  }
}

const own = (hold: ModelHold | undefined, product: number): number =>
  hold?.isActive === true ? sum(hold.lines.map((line) => (line.product === product ? line.reserved : 0))) : 0

function end(hold: ModelHold): void {
  hold.isActive = false
  for (const line of hold.lines) line.reserved = 0
}
