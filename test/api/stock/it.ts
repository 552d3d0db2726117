import { it as base } from '../../support/shared-service.ts'
import { newProduct } from '../../support/stock.ts'

/** The `it` of tests of stock. `product`: a product of the test's tenant, without stock. */
export const it = base.extend('product', async ({ tenant }) => await newProduct(tenant))
