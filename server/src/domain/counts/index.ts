export { foldCounts, type Rollup } from './fold-counts.ts'
export { pageByCounts, totalByCounts, type CountedRecords } from './page-by-counts.ts'
export { rollUp, taken } from './roll-up.ts'
