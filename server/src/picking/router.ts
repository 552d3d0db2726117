import { endpoint, router } from '../trpc.ts'
import { cancelFlow } from './cancel-flow.ts'
import { completeFlow } from './complete-flow.ts'
import { getFlow } from './get-flow.ts'
import { listFlows } from './list-flows.ts'
import { recordPick } from './record-pick.ts'
import {
  flowCancellation,
  flowDetails,
  flowId,
  flowList,
  listFlowsInput,
  newFlow,
  newPick,
  pickAnswer,
  pickingFlow,
  pickName,
} from './schemas.ts'
import { startFlow } from './start-flow.ts'
import { undoPick } from './undo-pick.ts'

const extension = true

export const flowsRouter = router({
  start: endpoint(
    'write:orders',
    {
      method: 'POST',
      path: '/flows',
      summary: 'Start picking an order',
      description: `Starts a picking flow for an order that is neither completed nor cancelled and has no running flow. The order's \`state_id\` becomes 3 and its \`state_picking_id\` 1. Quantities that an earlier flow picked are not picked again.

Sends \`flow/started\` and \`order/updated\`.`,
    },
    { errors: ['not_found', 'flow_error'], extension },
  )
    .input(newFlow)
    .output(pickingFlow)
    .mutation(({ ctx, input }) => startFlow(ctx, input)),

  list: endpoint(
    'read:orders',
    {
      method: 'GET',
      path: '/flows',
      summary: 'List picking flows',
      description: 'Newest first. Filters can be combined. `total` is exact.',
    },
    { extension, readsReplica: true },
  )
    .input(listFlowsInput)
    .output(flowList)
    .query(({ ctx, input }) => listFlows(ctx, input)),

  get: endpoint(
    'read:orders',
    {
      method: 'GET',
      path: '/flows/{id}',
      summary: 'Get a picking flow',
      description: `One flow with all lines of its order, what is left to pick of each, and its stock in the order's warehouse. Undone picks are left out; picks of a cancelled flow are included, although they returned to stock.`,
    },
    { extension },
  )
    .input(flowId)
    .output(flowDetails)
    .query(({ ctx, input }) => getFlow(ctx, input)),

  pick: endpoint(
    'write:orders',
    {
      method: 'POST',
      path: '/flows/{id}/picks',
      summary: 'Pick',
      description: `Takes a quantity from a location, all or nothing: never more than ordered, never more than in stock there. Name the product by \`barcode\` or \`product_id\`, which fill its open lines in order, or the line by \`order_detail_id\`. The location may be in any warehouse.

Writes an \`OUT\` movement with the reason \`order_fulfillment\` and sends the stock events.

A pick with a \`pick_id\` can be sent again at any time: it has no effect and gets the same answer, even after the flow ended or the pick was undone. A \`pick_id\` of another pick of the flow is a \`flow_error\`.`,
    },
    { errors: ['flow_error', 'adjustment_error'], extension },
  )
    .input(newPick)
    .output(pickAnswer)
    .mutation(({ ctx, input }) => recordPick(ctx, input)),

  undoPick: endpoint(
    'write:orders',
    {
      method: 'DELETE',
      path: '/flows/{id}/picks/{pick_id}',
      summary: 'Undo a pick',
      description: `Returns the quantity to its location while the flow runs, with an \`IN\` movement of the reason \`return\` and its stock events. It is left to pick again. Undoing a pick again succeeds and changes nothing.

The \`pick_id\` stays in use: a late repeat of the pick does not take the stock again.`,
    },
    { errors: ['flow_error', 'adjustment_error'], extension },
  )
    .input(pickName)
    .output(pickAnswer)
    .mutation(({ ctx, input }) => undoPick(ctx, input)),

  complete: endpoint(
    'write:orders',
    {
      method: 'POST',
      path: '/flows/{id}/complete',
      summary: 'Complete a picking flow',
      description: `When all lines are picked, the order is completed (\`state_id\` 5). Otherwise it returns to \`state_id\` 2 and keeps its picks; a later flow picks the rest.

Sends \`flow/completed\`, \`order/updated\` and, for a completed order, \`order/completed\` with the picks of all its flows.`,
    },
    { errors: ['flow_error'], extension },
  )
    .input(flowId)
    .output(pickingFlow)
    .mutation(({ ctx, input }) => completeFlow(ctx, input)),

  cancel: endpoint(
    'write:orders',
    {
      method: 'POST',
      path: '/flows/{id}/cancel',
      summary: 'Cancel a picking flow',
      description: `Returns every pick of the flow to its location, with an \`IN\` movement of the reason \`return\`, and the order to \`state_id\` 2. Picks of earlier flows are kept. Cancelling a cancelled flow succeeds again and sends nothing.

Sends the stock events, \`flow/cancelled\` and \`order/updated\`.`,
    },
    { errors: ['flow_error', 'adjustment_error'], extension },
  )
    .input(flowCancellation)
    .output(pickingFlow)
    .mutation(({ ctx, input }) => cancelFlow(ctx, input)),
})
