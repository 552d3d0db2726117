export { recordEventPosition } from './event-position.ts'
export { exportedRecords } from './export-records.ts'
export {
  findProducts,
  type FoundProduct,
  type NamedLine,
  problemOf,
  quantitiesOf,
  requireNone,
  requireProducts,
  resolveName,
} from './find-products.ts'
export { listingOf } from './list-records.ts'
export { findOrderBy, type NamedOrder, namedOrder, requireOrder } from './named-order.ts'
export {
  hasQuantity,
  isSentAgain,
  MAY_BE_CARRIED,
  namedProduct,
  type NamedProduct,
  nameOf,
  namesOneProduct,
  productNamedBy,
  sentName,
} from './named-product.ts'
export { type Content, earlierRecord, findReferenceIn, hashOf, namedUnlessUsed } from './references.ts'
