export { lockCatalog } from './catalog-lock.ts'
export { bulkItem, product, listProductsInput } from './schemas.ts'
