import type { Delivery } from '@fulfillment/sdk'

export const DELIVERY_STATES = ['pending', 'in_flight', 'succeeded', 'failed', 'skipped'] as const
export type DeliveryStateName = Delivery['state']

/** Whether it will change by itself soon. */
export const isUnderWay = ({ state }: Delivery): boolean => state === 'pending' || state === 'in_flight'
