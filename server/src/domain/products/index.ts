export { bulkItem, product, listProductsInput } from './schemas.ts'
