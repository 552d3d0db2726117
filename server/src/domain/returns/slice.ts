import { slice } from '../../procedures/slice.ts'
import { cancelReturn } from './cancel-return.ts'
import { closeReturn } from './close-return.ts'
import { createReturn } from './create-return.ts'
import { exportedReturns } from './export-returns.ts'
import { getReturn } from './get-return.ts'
import { listReturnReceipts } from './list-return-receipts.ts'
import { listReturns } from './list-returns.ts'
import { receiveReturn } from './receive-return.ts'
import { returnUpdated } from './return-topics.ts'
import { undoReturnReceipt } from './undo-return-receipt.ts'
import { updateReturn } from './update-return.ts'

/** Returns and their receipts. */
export const returns = slice({
  tags: [{ name: 'returns', description: 'Goods that come back, with or without an order.' }],
  endpoints: [
    createReturn,
    listReturns,
    getReturn,
    updateReturn,
    receiveReturn,
    listReturnReceipts,
    undoReturnReceipt,
    closeReturn,
    cancelReturn,
  ],
  topics: [returnUpdated],
  exports: [exportedReturns],
})
