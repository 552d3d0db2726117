import { FulfillmentError } from '@fulfillment/sdk'
import { TakenOverError } from '../store/store.ts'

/** Whether what is read by itself, and again later, could not be read or stored this time: nobody has to be told. */
export const isReadAgain = (error: unknown): boolean =>
  error instanceof FulfillmentError || error instanceof TakenOverError || error instanceof DOMException
