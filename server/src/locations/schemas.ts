import { z } from 'zod'
import { id, pageQuery, pagination, text, timestamp, trimmedText } from '../fields.ts'

const location = z
  .object({
    id: z.string(),
    code: z.string().describe('What people call it; the id until it is changed.'),
    name: z.string().nullable(),
    warehouse_id: z.int(),
  })
  .meta({
    id: 'Location',
    description: 'A place where stock lies. Locations come into being when a stock call first names them.',
  })

const warehouse = z
  .object({
    id: z.int(),
    name: z.string(),
    is_default: z.boolean().describe('True for the warehouse of new locations and orders.'),
    created_at: timestamp,
  })
  .meta({ id: 'Warehouse', description: 'A group of locations.' })

export const listLocationsInput = z.object(pageQuery)
export const listLocationsOutput = z.object({ locations: z.array(location), pagination })

export const updateLocationInput = z.object({
  id: text(64),
  code: trimmedText(255).optional(),
  name: trimmedText(255)
    .nullable()
    .optional()
    .describe('null clears it.')
    .meta({ examples: ['Tea, lower shelf'] }),
  warehouse_id: id.optional().describe('Moves the location, with the stock that lies there, to this warehouse.'),
})
export const updateLocationOutput = location

export const listWarehousesInput = z.object(pageQuery)
export const listWarehousesOutput = z.object({ warehouses: z.array(warehouse), pagination })

export const createWarehouseInput = z.object({ name: trimmedText(255).meta({ examples: ['North'] }) })
export const createWarehouseOutput = z.object({ id: z.int(), name: z.string(), created_at: timestamp })
