export { locationsRouter, warehousesRouter } from './router.ts'
