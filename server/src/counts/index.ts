export { foldCounts } from './fold-counts.ts'
export { pageByCounts, totalByCounts, type CountedRecords } from './page-by-counts.ts'
