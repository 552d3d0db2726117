import { z } from 'zod'
import { quantityOf } from '../../procedures/fields/response-fields.ts'
import { incomingOf } from './incoming.ts'

/** The numbers of a product, in a warehouse or in all. */
export const availabilityFields = {
  on_hand: quantityOf('Quantity at all locations'),
  unsellable: quantityOf('Part of `on_hand` at locations that are not sellable'),
  reserved: quantityOf('Quantity reserved for open orders and by holds'),
  held: quantityOf('Part of `reserved` that holds reserve'),
  available: quantityOf('`on_hand` minus `unsellable` minus `reserved`'),
  backordered: quantityOf('Quantity that open orders wait for'),
  incoming: quantityOf('Quantity that announced deliveries are still expected to bring'),
}

export const availability = z
  .object(availabilityFields)
  .meta({ id: 'Availability', description: 'Totals of a product over all warehouses, under a reservation policy.' })
export type Availability = z.infer<typeof availability>

/** SQL that is true while the tenant `$1` reserves. Under the policy `off`, reservations of before may still be there. */
export const IS_RESERVING = `exists (select from tenant_settings where tenant_id = $1 and reservation_policy <> 'off')`

/**
 * SQL that is true while active holds of the tenant `$1` keep something. Turning reserving off releases them at once; until the job has done so, turning it
 * on again does not bring them back.
 */
export const KEEPS_HOLDS = `exists (
  select from tenant_settings where tenant_id = $1 and reservation_policy <> 'off' and reservation_phase <> 'clearing'
)`

/** SQL that is true while the tenant `$1` reserves and the reservations of all its open orders are made. */
export const IS_READY = `exists (select from tenant_settings where tenant_id = $1 and reservation_policy <> 'off' and reservation_phase = 'ready')`

/**
 * SQL for the columns of `availabilityFields` but `incoming`, of a row `w` of warehouse_stock, or null for none. Expired holds do not count, even if their
 * lines are not dropped yet. `isReserving` is SQL.
 */
export function availabilityColumns(isReserving: string): string {
  const reserved = `case when ${isReserving} then coalesce(w.reserved, 0) - e.quantity else 0 end`
  return `coalesce(w.quantity, 0) as on_hand, coalesce(w.unsellable, 0) as unsellable, ${reserved} as reserved,
    case when ${isReserving} then coalesce(w.held, 0) - e.quantity else 0 end as held,
    coalesce(w.quantity, 0) - coalesce(w.unsellable, 0) - ${reserved} as available,
    case when ${isReserving} then coalesce(w.backordered, 0) else 0 end as backordered`
}

/** A lateral join for `availabilityColumns`: what expired holds have of a row `w`. */
export const EXPIRED_HOLDS = `cross join lateral (
    select case when w.held > 0 then coalesce((
      select sum(h.reserved) from hold_lines h
      where h.tenant_id = $1 and h.product_id = w.product_id and h.warehouse_id = w.warehouse_id and h.reserved > 0 and h.expires_at <= clock_timestamp()
    ), 0) else 0 end as quantity
  ) e`

/** SQL for the `availability` of the product with the id `productId`, as JSON; null unless the tenant reserves. */
export function availabilityOf(productId: string): string {
  const names = Object.keys(availabilityFields).filter((name) => name !== 'incoming')
  return `case when ${IS_READY} then (
    select json_build_object(${names.map((name) => `'${name}', coalesce(sum(n.${name}), 0)::float8`).join(', ')}, 'incoming', ${incomingOf(productId)}::float8)
    from (
      select ${availabilityColumns('true')} from warehouse_stock w ${EXPIRED_HOLDS} where w.tenant_id = $1 and w.product_id = ${productId}
    ) n
  ) end`
}

/** What a statement reads besides a record. A plain one reads neither. */
export interface SeenAvailability {
  /** Null unless the tenant reserves and its reservations are made. */
  availability?: Availability | null
  is_reserving?: boolean
}

/** SQL for the columns of `SeenAvailability` of the product with the id `productId`. */
export const availabilityOrNone = (productId: string): string =>
  `, ${availabilityOf(productId)} as availability, ${IS_RESERVING} as is_reserving`

/** A response without the field when it is null, and without what tells of the policy. */
export function shownAvailability<Row extends SeenAvailability>(
  row: Row,
): Omit<Row, 'availability' | 'is_reserving'> & { availability?: Availability } {
  if (row.is_reserving === undefined) return row as Omit<Row, 'availability' | 'is_reserving'>
  const { availability: given, is_reserving: _, ...shown } = row
  return given === null || given === undefined ? shown : { ...shown, availability: given }
}
