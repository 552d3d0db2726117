/** A call of the API. Orders, lines, products and locations are numbered from 0; a flow is given by its id, or 0 for none. */
export type Call =
  | { type: 'start'; order: number }
  | {
      type: 'pick'
      flow: number
      by: 'barcode' | 'product' | 'line'
      product: number
      line: number
      location: number
      quantity: number
      pickId: string | null
    }
  | { type: 'undo'; flow: number; pickId: string }
  | { type: 'complete'; flow: number }
  | { type: 'cancelFlow'; flow: number }
  | { type: 'cancelOrder'; order: number }
  | { type: 'putState'; order: number; state: number }
  | { type: 'adjust'; product: number; location: number; change: number }
  | { type: 'setLevel'; product: number; location: number; quantity: number }
