import { APIError } from '@fulfillment/sdk'
import { t } from '../../shared/texts/scan-texts.ts'
import type { Walk } from '../picking/walk.ts'
import type { Operator } from '../store/database.ts'
import type { App } from './app.ts'
import { online } from './calls.ts'
import { keepFlows } from './flows.ts'
import { ownWalks, readOwnFlows } from './own-flows.ts'
import { nameOfWalk } from './picking-actions.ts'
import { pickScreen } from './screen.ts'

/**
 * Starts picking an order, and shows it when it is stored here. One that the operator is picking already goes on here: it was begun elsewhere,
 * or the answer to its start was lost.
 */
export async function startFlow(app: App, orderId: number, at = performance.now(), begun = app.begin()): Promise<void> {
  const operator = app.kept.session?.operator
  if (operator === null || operator === undefined) return
  const walk = await online(app, async () => {
    try {
      return await startNew(app, orderId, operator, at)
    } catch (error) {
      if (!(error instanceof APIError && error.code === 'flow_error')) throw error
      await readOwnFlows(app)
      const running = walkOfOrder(app, orderId)
      // The operator may have been told already that it can't be stored.
      if (running === undefined && app.ui.problem === undefined) throw error
      return running
    }
  })
  // Elsewhere, the queue has it among the orders to go on with.
  if (walk !== undefined && app.goOn(begun, pickScreen(walk.key))) app.tell('taken', t.said.started(nameOfWalk(walk)), at)
}

async function startNew(app: App, orderId: number, operator: Operator, at: number): Promise<Walk | undefined> {
  const input = { order_id: orderId, operator_email: operator.email, operator_id: operator.id }
  const { id } = await app.api.client.flows.start(input)
  await keepFlows(app, [await app.api.readFlow(id, operator.id)], at)
  return walkOfOrder(app, orderId)
}

const walkOfOrder = (app: App, orderId: number): Walk | undefined =>
  ownWalks(app).find(({ flows }) => flows.some(({ order_id }) => order_id === orderId))
