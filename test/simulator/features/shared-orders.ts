import { newNumber, type ClientState, type SharedOrders } from '../client-state.ts'
import { ok, operation, refused, type Data, type Expected, type Operation } from '../operation.ts'

/*
 * Calls of all clients of a tenant on one flow, on the shipments of one order, and for what little there is of one product, with one hold of it. Which
 * of them comes first is not known: at quiet points, `quiet/shared-orders.ts` looks what came of all of them.
 */

/** A call that takes a quantity of something shared. Refused with a code, if others have taken too much. */
function take(
  id: string,
  weight: number,
  name: (client: ClientState, n: number) => string,
  code: string,
  request: (shared: SharedOrders, name: string, quantity: number) => { path: string; body: object } | undefined,
  answer: (name: string, quantity: number) => object,
  most: number,
): Operation {
  return operation<{ n: number; quantity: number }>({
    id,
    weight,
    isShared: true,
    draw(client, random) {
      const quantity = random.int(1, most)
      const isThere = client.shared.orders !== undefined && request(client.shared.orders, '', quantity) !== undefined
      return isThere ? { n: newNumber(client), quantity } : undefined
    },
    request(client, { n, quantity }) {
      const { orders } = client.shared
      const made = orders && request(orders, name(client, n), quantity)
      return made && { method: 'POST', ...made }
    },
    expect(client, { n, quantity }, data: Data): Expected {
      const { tries } = client.shared
      const given = name(client, n)
      if (data === undefined) tries.lost.add(given)
      else if (data.refused === code) tries.refused.set(given, quantity)
      else tries.acknowledged.set(given, quantity)
      return data?.refused === code ? refused(code) : ok(answer(given, quantity))
    },
  })
}

export const SHARED_ORDERS: Operation[] = [
  take(
    'flows.pick',
    2,
    (client, n) => `pick ${client.name}-${n}`,
    'flow_error',
    ({ flow: { id, product, location } }, name, quantity) => ({
      path: `/flows/${id}/picks`,
      body: { product_id: product, location_id: location, quantity, pick_id: name },
    }),
    (id, quantity) => ({ pick: { id, quantity } }),
    3,
  ),
  take(
    'shipments.create',
    1.5,
    (client, n) => `shared shipment ${client.name}-${n}`,
    'shipment_error',
    ({ packed }, reference, quantity) =>
      packed && {
        path: '/shipments',
        body: { reference, order_id: packed.order, packages: [{ lines: [{ order_detail_id: packed.line, quantity }] }] },
      },
    (reference, quantity) => ({ reference, state: 'open', total_quantity: quantity }),
    3,
  ),
  take(
    'orders.create',
    1,
    (client, n) => `shared order ${client.name}-${n}`,
    'insufficient_stock',
    ({ scarce: { barcode, hold, warehouse } }, name, quantity) => ({
      path: '/orders',
      body: {
        order_tenant_id: name,
        assembly_date: '2030-01-02',
        warehouse_id: warehouse,
        hold,
        order_detail: [{ barcode, quantity }],
      },
    }),
    () => ({ created_count: 1 }),
    2,
  ),
]
