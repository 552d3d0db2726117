import { slice } from '../../procedures/slice.ts'
import { cancelInbound } from './cancel-inbound.ts'
import { closeInbound } from './close-inbound.ts'
import { createInbound } from './create-inbound.ts'
import { exportedInbound } from './export-inbound.ts'
import { getInbound } from './get-inbound.ts'
import { inboundUpdated } from './inbound-topics.ts'
import { listInbound } from './list-inbound.ts'
import { listInboundReceipts } from './list-inbound-receipts.ts'
import { receiveInbound } from './receive-inbound.ts'
import { undoInboundReceipt } from './undo-inbound-receipt.ts'
import { updateInbound } from './update-inbound.ts'

/** Expected deliveries and their receipts. */
export const inbound = slice({
  tags: [{ name: 'inbound', description: 'Expected deliveries and their receipts.' }],
  endpoints: [
    createInbound,
    listInbound,
    getInbound,
    updateInbound,
    receiveInbound,
    listInboundReceipts,
    undoInboundReceipt,
    closeInbound,
    cancelInbound,
  ],
  topics: [inboundUpdated],
  exports: [exportedInbound],
})
