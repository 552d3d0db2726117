export { productsRouter } from './router.ts'
export { bulkItem, product, productQuery } from './schemas.ts'
