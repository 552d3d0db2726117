import { slice } from '../../procedures/slice.ts'
import { assignFlow } from './assign-flow.ts'
import { cancelFlow } from './cancel-flow.ts'
import { completeFlow } from './complete-flow.ts'
import { getFlow } from './get-flow.ts'
import { listFlows } from './list-flows.ts'
import { listQueue } from './list-queue.ts'
import { recordPick } from './record-pick.ts'
import { startFlow } from './start-flow.ts'
import { undoPick } from './undo-pick.ts'

import { flowStarted, flowCompleted, flowCancelled } from './flow-topics.ts'

import { foldFlows } from './fold-flows.ts'
import { foldPicks } from './fold-picks.ts'

/** Picking flows and picks. */
export const picking = slice({
  tags: [{ name: 'flows', description: 'Picking flows: operators pick the lines of an order from stock.' }],
  endpoints: [startFlow, listFlows, listQueue, getFlow, recordPick, undoPick, assignFlow, completeFlow, cancelFlow],
  topics: [flowStarted, flowCompleted, flowCancelled],
  constraints: {
    order_lines_never_over_picked: { code: 'flow_error', message: 'The pick exceeds the ordered quantity and its tolerance' },
  },
  rollups: [foldFlows, foldPicks],
})
