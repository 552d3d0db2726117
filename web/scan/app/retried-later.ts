import { FulfillmentError } from '@fulfillment/sdk'
import { TakenOverError } from '../store/store.ts'

/** Whether a background read failed for now: no connection, a refusal, or storage. It is tried again later, so nobody is told. */
export const isRetriedLater = (error: unknown): boolean =>
  error instanceof FulfillmentError || error instanceof TakenOverError || error instanceof DOMException
