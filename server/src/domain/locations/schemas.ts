import { z } from 'zod'
import { returned } from '../../procedures/fields/response-fields.ts'
import { id, pageQuery, pagination, text, trimmedText } from '../../procedures/fields/fields.ts'

const MAX_SEQUENCE = 1_000_000_000

const attributes = {
  pickable: z
    .boolean()
    .describe('Whether picks may take stock from the location. Undone and cancelled picks return stock to it in any case.'),
  sellable: z.boolean().describe('Whether stock at the location can be promised to orders. It can be picked in any case.'),
  pick_sequence: z
    .int()
    .min(0)
    .max(MAX_SEQUENCE)
    .nullable()
    .describe(
      `Position of the location in the pick order, 0 to ${MAX_SEQUENCE}, smallest first; locations without one come last, then by id.`,
    ),
}

const location = z
  .object({
    id: returned.location_id,
    code: returned.location_code,
    name: z.string().nullable().describe('Name of the location; null if it has none.'),
    warehouse_id: z.int().describe('Id of the warehouse that the location belongs to.'),
    ...attributes,
  })
  .meta({
    id: 'Location',
    description: 'A storage location. The first stock call that names a location creates it, unless `POST /locations` did.',
  })

const warehouse = z
  .object({
    id: returned.warehouse_id,
    name: returned.warehouse_name,
    is_default: z
      .boolean()
      .describe('True for the default warehouse, which new locations and orders belong to unless they name another.'),
    created_at: returned.created_at,
  })
  .meta({ id: 'Warehouse', description: 'A group of locations.' })

export const listLocationsInput = z.object(pageQuery)
export const listLocationsOutput = z.object({
  locations: z.array(location).describe('Locations of this page, ordered by id.'),
  pagination,
})

export const createLocationInput = z.object({
  id: text(64, { minLength: 1 })
    .describe('Id of the location, by which stock calls name it.')
    .meta({ examples: ['A-01-03'] }),
  code: trimmedText(255).nullish().describe('Human-readable code of the location. Default: its id.'),
  name: trimmedText(255)
    .nullish()
    .describe('Name of the location.')
    .meta({ examples: ['Tea, lower shelf'] }),
  warehouse_id: id.nullish().describe('Id of the warehouse that the location belongs to. Default: the default warehouse.'),
  pickable: attributes.pickable.nullish().describe('Whether picks may take stock from the location. Default: true.'),
  sellable: attributes.sellable.nullish().describe('Whether stock at the location can be promised to orders. Default: true.'),
  pick_sequence: attributes.pick_sequence
    .optional()
    .describe(
      `Position of the location in the pick order, 0 to ${MAX_SEQUENCE}, smallest first. Default: none; such locations come last.`,
    ),
})
export const createLocationOutput = location

export const updateLocationInput = z.object({
  id: text(64).describe('Id of the location.'),
  code: trimmedText(255).optional().describe('Human-readable code of the location.'),
  name: trimmedText(255)
    .nullable()
    .optional()
    .describe('Name of the location; null removes it.')
    .meta({ examples: ['Tea, lower shelf'] }),
  warehouse_id: id.optional().describe('Id of the warehouse to move the location to, with its stock.'),
  pickable: attributes.pickable.optional(),
  sellable: attributes.sellable.optional(),
  pick_sequence: attributes.pick_sequence
    .optional()
    .describe(`Position of the location in the pick order, 0 to ${MAX_SEQUENCE}; null removes it.`)
    .meta({ examples: [120] }),
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
