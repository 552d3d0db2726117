export { foldCounts } from './fold-counts.ts'
