/** The values of `reason` in `stock/updated`. */
export const STOCK_REASONS = [
  'order_fulfillment',
  'manual_adjustment',
  'stock_receipt',
  'transfer',
  'return',
  'inventory_count',
] as const
export type StockReason = (typeof STOCK_REASONS)[number]
