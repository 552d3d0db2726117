export { warehouseNotFound } from './warehouse-not-found.ts'
