import { z } from 'zod'
import { returned } from '../../procedures/fields/response-fields.ts'
import { id, pageQuery, pagination, text, trimmedText } from '../../procedures/fields/fields.ts'

const location = z
  .object({
    id: returned.location_id,
    code: returned.location_code,
    name: z.string().nullable().describe('Name of the location; null if it has none.'),
    warehouse_id: z.int().describe('Id of the warehouse that the location belongs to.'),
  })
  .meta({
    id: 'Location',
    description: 'A storage location. The first stock call that names a location creates it.',
  })

const warehouse = z
  .object({
    id: returned.warehouse_id,
    name: returned.warehouse_name,
    is_default: z.boolean().describe('True for the default warehouse, which new locations and orders are assigned to.'),
    created_at: returned.created_at,
  })
  .meta({ id: 'Warehouse', description: 'A group of locations.' })

export const listLocationsInput = z.object(pageQuery)
export const listLocationsOutput = z.object({
  locations: z.array(location).describe('Locations of this page, ordered by id.'),
  pagination,
})

export const updateLocationInput = z.object({
  id: text(64).describe('Id of the location.'),
  code: trimmedText(255).optional().describe('Human-readable code of the location.'),
  name: trimmedText(255)
    .nullable()
    .optional()
    .describe('Name of the location; null removes it.')
    .meta({ examples: ['Tea, lower shelf'] }),
  warehouse_id: id.optional().describe('Id of the warehouse to move the location to, with its stock.'),
})
export const updateLocationOutput = location

export const listWarehousesInput = z.object(pageQuery)
export const listWarehousesOutput = z.object({
  warehouses: z.array(warehouse).describe('Warehouses of this page, ordered by id.'),
  pagination,
})

export const createWarehouseInput = z.object({
  name: trimmedText(255)
    .describe('Name of the warehouse.')
    .meta({ examples: ['North'] }),
})
export const createWarehouseOutput = z.object({
  id: returned.warehouse_id,
  name: returned.warehouse_name,
  created_at: returned.created_at,
})
