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
      'Sets the absolute quantity of a product at a location and records an `ADJUSTMENT` movement, also when nothing changed (a confirmed count).',
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
        'Adds to the stock of a product at a location (`IN` movement) or removes from it (`OUT` movement). Stock never falls below zero.',
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
      'Sets absolute quantities, in the order given. Items that cannot be applied are reported in `errors` and do not stop the others.',
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
        'How much of every product lies at every location, also of deleted products. Levels are never removed, so none is missed.',
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
      description: 'The stock of an active product, in all and by location: now, or as of a moment.',
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
        'Compares each level with the sum of its movements, and each warehouse total with the sum of its levels, for some products at a time. Nobody who changes stock waits for it.',
    },
    { extension: true, readsReplica: true },
  )
    .input(reconcileInput)
    .output(reconcileOutput)
    .query(({ ctx, input }) => reconcileStock(ctx, input)),
})
