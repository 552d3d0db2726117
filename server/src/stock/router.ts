import { endpoint, router } from '../trpc.ts'
import { adjustStock } from './adjust-stock.ts'
import { bulkSetLevels } from './bulk-set-levels.ts'
import { getStockBySku } from './get-stock-by-sku.ts'
import { listLevels } from './list-levels.ts'
import { listMovements } from './list-movements.ts'
import {
  adjustInput,
  adjustOutput,
  bulkInput,
  bulkOutput,
  getBySkuInput,
  getBySkuOutput,
  levelsInput,
  levelsOutput,
  movementsInput,
  movementsOutput,
  reconcileInput,
  reconcileOutput,
  setLevelInput,
  setLevelOutput,
  transferInput,
  transferOutput,
} from './schemas.ts'
import { reconcileStock } from './reconcile-stock.ts'
import { setLevel } from './set-level.ts'
import { transferStock } from './transfer-stock.ts'

export const stockRouter = router({
  setLevel: endpoint('write:stock', {
    method: 'PUT',
    path: '/stock/product/{productId}',
    summary: 'Set a stock level',
    description:
      'Sets the absolute quantity of a product at a location and records an `ADJUSTMENT` movement, even when the quantity stays the same (a confirmed count).',
  })
    .input(setLevelInput)
    .output(setLevelOutput)
    .mutation(({ ctx, input }) => setLevel(ctx, input)),

  adjust: endpoint(
    'write:stock',
    {
      method: 'POST',
      path: '/stock/adjustment',
      summary: 'Adjust a stock level',
      description:
        'Adds stock of a product at a location (`IN` movement) or removes it (`OUT` movement). Stock never falls below zero.',
    },
    { errors: ['not_found', 'adjustment_error'] },
  )
    .input(adjustInput)
    .output(adjustOutput)
    .mutation(({ ctx, input }) => adjustStock(ctx, input)),

  bulk: endpoint('write:stock', {
    method: 'POST',
    path: '/stock/bulk',
    summary: 'Set many stock levels',
    description:
      'Sets absolute quantities, in the order given. An update that fails is reported in `errors` and does not stop the others.',
  })
    .input(bulkInput)
    .output(bulkOutput)
    .mutation(({ ctx, input }) => bulkSetLevels(ctx, input)),

  transfer: endpoint(
    'write:stock',
    {
      method: 'POST',
      path: '/stock/transfer',
      summary: 'Move stock between locations',
      description: 'Moves stock of a product from one location to another, all or nothing, and records two `TRANSFER` movements.',
    },
    { errors: ['not_found', 'adjustment_error'], extension: true },
  )
    .input(transferInput)
    .output(transferOutput)
    .mutation(({ ctx, input }) => transferStock(ctx, input)),

  movements: endpoint(
    'read:stock',
    {
      method: 'GET',
      path: '/stock/movements',
      summary: 'List stock movements',
      description: 'Newest first. Filters can be combined.',
    },
    { readsReplica: true },
  )
    .input(movementsInput)
    .output(movementsOutput)
    .query(({ ctx, input }) => listMovements(ctx, input)),

  levels: endpoint(
    'read:stock',
    {
      method: 'GET',
      path: '/stock/levels',
      summary: 'List stock levels',
      description:
        'Quantity of every product at every location, including deleted products. Levels are never removed, so a reader of all pages misses none.',
    },
    { extension: true, readsReplica: true },
  )
    .input(levelsInput)
    .output(levelsOutput)
    .query(({ ctx, input }) => listLevels(ctx, input)),

  getBySku: endpoint(
    'read:stock',
    {
      method: 'GET',
      path: '/stock/sku/{sku}',
      summary: 'Get stock by SKU',
      description: 'Stock of an active product, in total and by location, now or at a past moment.',
    },
    { readsReplica: (input) => 'as_of' in input },
  )
    .input(getBySkuInput)
    .output(getBySkuOutput)
    .query(({ ctx, input }) => getStockBySku(ctx, input)),

  reconcile: endpoint(
    'admin',
    {
      method: 'GET',
      path: '/stock/reconcile',
      summary: 'Prove the stock',
      description:
        'Compares each level with the sum of its movements, and each warehouse total with the sum of its levels, one page of products at a time. It blocks no change of stock.',
    },
    { extension: true, readsReplica: true },
  )
    .input(reconcileInput)
    .output(reconcileOutput)
    .query(({ ctx, input }) => reconcileStock(ctx, input)),
})
