import { scanGoods } from './en-scan-goods.ts'

/** The texts of the scan app's tiles, which are loaded with them. */
export const goods = scanGoods
