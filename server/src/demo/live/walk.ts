import type { FlowBatch } from '@fulfillment/sdk'
import { ORDER_STATES } from '../../domain/order-states/index.ts'
import type { Random } from '../random.ts'
import type { LiveOptions } from './customers.ts'
import { exact } from './exact.ts'
import type { Person } from './person.ts'
import { isRefusal } from './refusal.ts'

const ORDERS_OF_WALK = 3

/** Starts a batch of orders that are ready; undefined if there is none. */
export async function startWalk({ client, journal }: LiveOptions, { email, id, name }: Person): Promise<FlowBatch | undefined> {
  const rule = { max_orders: ORDERS_OF_WALK }
  try {
    const batch = await client.flowBatches.create({ rule, operator_email: email, operator_id: id })
    for (const { order_tenant_id: order } of batch.slots) journal.became(order, ORDER_STATES.picking)
    journal.walks++
    journal.tell(`${name} takes ${batch.slots.map((slot) => slot.order_tenant_id).join(', ')} in one walk`)
    return batch
  } catch (error) {
    if (!isRefusal(error)) throw error
    return undefined
  }
}

/** Picks what is open of a batch, stop by stop, and completes it; undefined when the demo was over before. */
export async function walkBatch(
  { client, journal, pace }: LiveOptions,
  { name }: Person,
  random: Random,
  batch: FlowBatch,
): Promise<FlowBatch | undefined> {
  for (const { location_id, location_code, product_id, product_name, slots } of batch.stops)
    for (const { slot, flow_id, quantity } of slots) {
      await pace.wait(pace.pickMs, random)
      if (pace.isOver) return undefined
      const order = batch.slots.find((candidate) => candidate.slot === slot)?.order_tenant_id ?? ''
      try {
        await client.flows.pick(flow_id, { product_id, location_id, quantity: exact(quantity) })
        journal.picks++
        journal.took(order, quantity)
        journal.tell(`${name} takes ${quantity} × ${product_name} from ${location_code} into slot ${slot}`)
      } catch (error) {
        // The customer has cancelled, or others have taken it.
        if (!isRefusal(error)) throw error
        journal.tell(`${name} leaves slot ${slot}: ${(error as Error).message}`)
      }
    }
  return await client.flowBatches.complete(batch.id)
}
