export { productsRouter } from './router.ts'
