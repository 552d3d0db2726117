import { ServiceError } from '../../errors/service-error.ts'

/** The input from a body: one order, an array of orders, or an object with the array `orders`. Otherwise throws `validation_error`. */
export function ordersOfBody(body: unknown): { orders: unknown } {
  if (Array.isArray(body)) return { orders: body }
  if (typeof body !== 'object' || body === null) {
    const error = 'the body must be an order, an array of orders, or an object with the array orders'
    throw new ServiceError('validation_error', error, { details: [{ index: 0, error }] })
  }
  return 'orders' in body ? { orders: body.orders } : { orders: [body] }
}
