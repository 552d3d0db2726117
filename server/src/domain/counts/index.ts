export { foldCounts, rollupsOf } from './fold-counts.ts'
export { pageByCounts, totalByCounts, type CountedRecords } from './page-by-counts.ts'
export { rollup, type Rollup, rollUp } from './roll-up.ts'
