import type { PickingFlowDetails } from '@fulfillment/sdk'
import { describe, expect, it } from 'vitest'
import { scan } from '../../../web/scan/picking/decide.ts'
import type { Decision, Picking } from '../../../web/scan/picking/decision.ts'
import { emptyDraft } from '../../../web/scan/picking/draft.ts'
import { readScan } from '../../../web/scan/wedge/scan-text.ts'
import { CODES, PRODUCTS, WEIGHT_BARCODES } from '../../api/barcodes/codes.ts'

const NAMES = Object.keys(PRODUCTS)

/** A flow with every product of the server's table of codes, more than enough of each. */
const flow = {
  id: 5,
  order_tenant_id: 'SHOP-1',
  state: 'started',
  operator_email: 'ada@example.com',
  lines: Object.values(PRODUCTS).map(({ barcode, packs = [] }, index) => ({
    order_detail_id: index,
    product_id: index,
    barcode,
    product_name: NAMES[index],
    quantity: 1_000_000_000,
    picked_quantity: 0,
    remaining: 1_000_000_000,
    // As the server does: only products with additional barcodes have them.
    ...(packs.length > 0 && {
      barcodes: [{ barcode, quantity: 1 }, ...packs.map(([pack, quantity]) => ({ barcode: pack, quantity }))],
    }),
    locations: [{ location_id: `AT-${index}`, location_code: `AT-${index}`, quantity: 1_000_000_000 }],
  })),
  picks: [],
} as unknown as PickingFlowDetails

function pick(text: string, reading: Partial<Picking['reading']> = {}): Decision | undefined {
  const scanned = readScan([text])
  if (scanned?.kind !== 'code') return undefined
  const isWeighable = (id: number): boolean => PRODUCTS[NAMES[id] ?? '']?.weighable === true
  const picking: Picking = {
    walk: { key: flow.id, flows: [flow] },
    draft: emptyDraft(5),
    entries: [],
    operator: { id: 1, email: 'ada@example.com' },
    isLocationFirst: false,
    isSlotScanned: false,
    reading: { weightPatterns: WEIGHT_BARCODES, year: new Date().getUTCFullYear(), isWeighable, ...reading },
    newId: () => 'p1',
    now: '2026-03-02T10:00:00.000Z',
  }
  return scan(picking, scanned.texts, { codes: scanned.codes })
}

/** What is taken after a scan; null for a code that this flow does not know. */
function taken(...scanned: Parameters<typeof pick>): { product: string; quantity: number } | null {
  const decision = pick(...scanned)
  if (decision?.outcome !== 'taken') return null
  const { about, body } = decision.draft.pick!
  return { product: about.product_name, quantity: body.quantity }
}

describe('without a connection, a scan stands for what the server says', () => {
  it.for(CODES)('%s: %j', ([, code, says]) => {
    // A weight of 0 takes nothing.
    const isTaken = says?.product !== undefined && says.quantity !== 0
    expect(taken(code)).toEqual(isTaken ? { product: says.product, quantity: says.quantity } : null)
  })

  it('as in the table for most of what it has', () => {
    const named = CODES.filter(([, , says]) => says?.product !== undefined)
    expect(named.length).toBeGreaterThan(100)
    expect(CODES.filter(([, code]) => taken(code) !== null).length).toBeGreaterThan(100)
  })

  it('weights need the patterns of the tenant, and goods that are weighed as far as the device knows', () => {
    const cheese = '2112345012506'
    expect(taken(cheese, { weightPatterns: [] })).toBeNull()
    expect(taken(cheese, { isWeighable: () => false })).toBeNull()
    expect(taken(cheese, { isWeighable: () => undefined })).toEqual({ product: 'cheese', quantity: 1.25 })
  })
})
