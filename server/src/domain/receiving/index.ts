export { creatingOf } from './create-record.ts'
export { endingOf } from './end-record.ts'
export { type ReceivingKind, recordJson } from './kind.ts'
export { listingReceiptsOf } from './list-receipts.ts'
export { jsonWithLines, readingOf } from './read-record.ts'
export { receivingOf } from './receive.ts'
export {
  announcedQuantity,
  cancelRecordInput,
  lineFields,
  listReceiptsInput,
  namesGoods,
  newLines,
  newReceipt,
  newRecord,
  receiptFields,
  receiptsOf,
  receivedAt,
  recordFields,
  recordId,
  recordState,
  undoneReceipt,
} from './schemas.ts'
export { undoingOf } from './undo-receipt.ts'
export { updatingOf } from './update-record.ts'
