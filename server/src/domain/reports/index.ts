export { recordUsage, type Usage } from './record-usage.ts'
