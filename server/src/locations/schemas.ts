import { z } from 'zod'
import { returned } from '../answer-fields.ts'
import { id, pageQuery, pagination, text, trimmedText } from '../fields.ts'

const location = z
  .object({
    id: returned.location_id,
    code: returned.location_code,
    name: z.string().nullable().describe('Name of the location; null when it has none.'),
    warehouse_id: z.int().describe('Id of the warehouse that the location belongs to.'),
  })
  .meta({
    id: 'Location',
    description: 'A place for stock. A stock call creates a location when it first names it.',
  })

const warehouse = z
  .object({
    id: returned.warehouse_id,
    name: returned.warehouse_name,
    is_default: z.boolean().describe('True for the warehouse of new locations and orders.'),
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
  code: trimmedText(255).optional().describe('Code of the location, as people call it.'),
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
