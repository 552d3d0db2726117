import { slice } from '../../procedures/slice.ts'
import { createLocation } from './create-location.ts'
import { createWarehouse } from './create-warehouse.ts'
import { listLocations } from './list-locations.ts'
import { listWarehouses } from './list-warehouses.ts'
import { updateLocation } from './update-location.ts'

/** Warehouses and locations. */
export const locations = slice({
  tags: [
    { name: 'locations', description: 'Storage locations, each in one warehouse.' },
    { name: 'warehouses', description: 'Groups of locations.' },
  ],
  endpoints: [listLocations, createLocation, updateLocation, listWarehouses, createWarehouse],
})
