import { slice } from '../../procedures/slice.ts'
import { HOUR_MS } from '../../runtime/periodic.ts'
import { adjustStock } from './adjust-stock.ts'
import { bulkSetLevels } from './bulk-set-levels.ts'
import { checkBulkLevels } from './check-bulk-levels.ts'
import { exportedLevels } from './export-levels.ts'
import { exportedMovements } from './export-movements.ts'
import { getStockBySku } from './get-stock-by-sku.ts'
import { listLevels } from './list-levels.ts'
import { listMovements } from './list-movements.ts'
import { reconcileStock } from './reconcile-stock.ts'
import { stockOverview } from './stock-overview.ts'
import { OUT_OF_RANGE_MESSAGE } from './shortage.ts'
import { setLevel } from './set-level.ts'
import { transferStock } from './transfer-stock.ts'

import { stockUpdated, stockLowAlert, stockMovementCreated } from './stock-topics.ts'

import { foldMovements } from './fold-movements.ts'
import { foldStocked, recountStocked } from './fold-stocked.ts'

/** Stock levels and movements. */
export const stock = slice({
  tags: [
    {
      name: 'stock',
      description: 'Stock levels per product and location, and their movements. A level is always the sum of its movements.',
    },
  ],
  endpoints: [
    setLevel,
    adjustStock,
    bulkSetLevels,
    checkBulkLevels,
    transferStock,
    listMovements,
    listLevels,
    stockOverview,
    getStockBySku,
    reconcileStock,
  ],
  topics: [stockUpdated, stockLowAlert, stockMovementCreated],
  constraints: {
    stock_levels_quantity_range: { code: 'adjustment_error', message: OUT_OF_RANGE_MESSAGE },
  },
  rollups: [foldMovements, foldStocked],
  tasks: [{ everyMs: HOUR_MS, run: recountStocked }],
  exports: [exportedMovements, exportedLevels],
})
