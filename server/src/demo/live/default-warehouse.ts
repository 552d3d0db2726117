import type { FulfillmentClient } from '../../command-line/sdk.ts'

/** The id of the warehouse of all orders that name none. */
export async function defaultWarehouseOf(client: FulfillmentClient): Promise<number | undefined> {
  const { warehouses } = await client.warehouses.list()
  return warehouses.find(({ is_default: isDefault }) => isDefault)?.id
}
