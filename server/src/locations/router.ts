import { endpoint, router } from '../trpc.ts'
import { createWarehouse } from './create-warehouse.ts'
import { listLocations } from './list-locations.ts'
import { listWarehouses } from './list-warehouses.ts'
import {
  createWarehouseInput,
  createWarehouseOutput,
  listLocationsInput,
  listLocationsOutput,
  listWarehousesInput,
  listWarehousesOutput,
  updateLocationInput,
  updateLocationOutput,
} from './schemas.ts'
import { updateLocation } from './update-location.ts'

export const locationsRouter = router({
  list: endpoint(
    'read:stock',
    { method: 'GET', path: '/locations', summary: 'List locations', description: 'Ordered by id.' },
    { extension: true, readsReplica: true },
  )
    .input(listLocationsInput)
    .output(listLocationsOutput)
    .query(({ ctx, input }) => listLocations(ctx, input)),

  update: endpoint(
    'write:stock',
    {
      method: 'PUT',
      path: '/locations/{id}',
      summary: 'Change a location',
      description: 'Only the given fields change. A new warehouse takes over the stock of the location at once.',
    },
    { extension: true },
  )
    .input(updateLocationInput)
    .output(updateLocationOutput)
    .mutation(({ ctx, input }) => updateLocation(ctx, input)),
})

export const warehousesRouter = router({
  list: endpoint(
    'read:stock',
    { method: 'GET', path: '/warehouses', summary: 'List warehouses', description: 'Ordered by id.' },
    { extension: true },
  )
    .input(listWarehousesInput)
    .output(listWarehousesOutput)
    .query(({ ctx, input }) => listWarehouses(ctx, input)),

  create: endpoint(
    'write:stock',
    {
      method: 'POST',
      path: '/warehouses',
      summary: 'Create a warehouse',
      description: 'Use `PUT /locations/{id}` to move locations into it.',
    },
    { extension: true },
  )
    .input(createWarehouseInput)
    .output(createWarehouseOutput)
    .mutation(({ ctx, input }) => createWarehouse(ctx, input)),
})
