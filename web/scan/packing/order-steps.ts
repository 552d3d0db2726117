import { Turns } from '../app/turns.ts'
import { bindingOfKept, type Store } from '../store/store.ts'
import type { Doubt } from './doubt.ts'

/** Doubts that are kept: an order may never be opened here again. */
const MAX_KEPT = 50

/**
 * The steps that pack an order, on whichever screen: they follow each other, and one in doubt stays so after its screen was left. The device
 * keeps the doubt beyond a reload; where it cannot be stored, a reload forgets it.
 */
export class OrderSteps {
  readonly turns = new Turns()
  #doubt: Doubt | undefined
  readonly #store: Store
  readonly #key: string

  constructor(store: Store, key: string) {
    this.#store = store
    this.#key = key
    this.#doubt = store.kept.doubts[key]
  }

  /** The step before, of which the response is not known. */
  get doubt(): Doubt | undefined {
    return this.#doubt
  }

  /** From now on, what the server has done may be lost with its response. */
  async begin(doubt: Doubt): Promise<void> {
    this.#doubt = doubt
    await this.#keep(doubt)
  }

  /** It is known what became of the step. */
  async end(): Promise<void> {
    this.#doubt = undefined
    await this.#keep(undefined)
  }

  #keep(doubt: Doubt | undefined): Promise<unknown> {
    const key = this.#key
    return this.#store
      .commit(({ doubts: { [key]: before, ...others } }) => {
        if (doubt === undefined) return before === undefined ? undefined : { doubts: others }
        return { doubts: { ...Object.fromEntries(Object.entries(others).slice(1 - MAX_KEPT)), [key]: doubt } }
      })
      .catch(() => undefined)
  }
}

interface Packing {
  store: Store
  /** By tenant, mode and order. */
  packing: Map<string, OrderSteps>
}

/** The steps that pack this order. */
export function stepsOf({ store, packing }: Packing, orderId: number): OrderSteps {
  const key = `${bindingOfKept(store.kept)} ${orderId}`
  const steps = packing.get(key) ?? new OrderSteps(store, key)
  packing.set(key, steps)
  return steps
}
