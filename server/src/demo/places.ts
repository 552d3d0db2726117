/** A location of the demo. `warehouse` is an index: 0 is the tenant's default. */
export interface DemoLocation {
  id: string
  name: string | null
  warehouse: number
  pickable: boolean
  sellable: boolean
  pick_sequence: number | null
}

/** The second warehouse. */
export const SECOND_WAREHOUSE = 'North'

/** Where goods arrive, and where damaged ones are put, by warehouse. */
export const DOCKS = ['DOCK', 'N-DOCK']
export const QUARANTINES = ['QUARANTINE', 'N-QUARANTINE']

const PRODUCTS_OF_SHELF = 4
const SHELVES_OF_AISLE = 10

/** The shelf of a product in a warehouse. */
export function shelfOf(product: number, warehouse: number): string {
  const shelf = Math.floor(product / PRODUCTS_OF_SHELF)
  const aisle = Math.floor(shelf / SHELVES_OF_AISLE)
  const letters = aisle < 26 ? String.fromCharCode(65 + aisle) : `Z${aisle - 25}`
  const number = String((shelf % SHELVES_OF_AISLE) + 1).padStart(2, '0')
  return `${warehouse === 0 ? '' : 'N-'}${letters}-${number}`
}

/** Whether the second warehouse has a product, by its position in the catalog. */
export const isInNorth = (product: number): boolean => product % 3 === 0

/** All locations for a catalog of that many products, in the pick order. */
export function demoLocations(products: number): DemoLocation[] {
  const shelves = [0, 1].flatMap((warehouse) => {
    const named = Array.from({ length: products }, (_, product) => product).filter(
      (product) => warehouse === 0 || isInNorth(product),
    )
    return [...new Set(named.map((product) => shelfOf(product, warehouse)))].map((id, index) => ({
      id,
      name: null,
      warehouse,
      pickable: true,
      sellable: true,
      pick_sequence: (index + 1) * 10,
    }))
  })
  const others = [0, 1].flatMap((warehouse) => [
    { id: DOCKS[warehouse] as string, name: 'Receiving dock', warehouse, pickable: false, sellable: true, pick_sequence: null },
    {
      id: QUARANTINES[warehouse] as string,
      name: 'Damaged goods',
      warehouse,
      pickable: false,
      sellable: false,
      pick_sequence: null,
    },
  ])
  return [...shelves, ...others]
}
