import { describe, expect } from 'vitest'
import { it } from '../../support/shared-service.ts'
import { expectConsistentPicking, pick, startedFlow, stockedProduct, stockOf } from '../../support/picking.ts'
import { announce, INBOUND, KINDS, read, receive, received } from '../../support/receiving.ts'
import { reserve } from '../../support/reservations.ts'
import type { ServiceResponse, TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'

const EAN = '4006381333931'
const CASE = '14006381333938'
const GS1_CASE = `(01)${CASE}(37)2(10)L1`
const WEIGHED = '2112345012506'

/** Codes of the tea, and what each carries. */
const CARRIES = [
  [CASE, 12],
  [`]C101${CASE}10L1`, 12],
  [GS1_CASE, 24],
  [`https://id.gs1.org/01/${CASE}?30=3`, 36],
] as const

/** Tea in cases of 12, and cheese that is weighed. */
async function goods(tenant: TestTenant, stock: Record<string, number> = { A: 100 }) {
  const tea = await stockedProduct(tenant, stock, { barcode: EAN })
  const cheese = await stockedProduct(tenant, stock, { barcode: '2112345', weighable: true })
  await tenant.request('POST', `/products/${tea.id}/barcodes`, { barcode: CASE, quantity: 12, name: 'case' })
  await tenant.request('PUT', '/settings', { weight_barcodes: [{ pattern: '21IIIIIWWWWWC', decimals: 3 }] })
  return { tea, cheese }
}

const refusal = ({ body }: ServiceResponse) => [body.error?.code, body.error?.details?.[0]?.path]
const MISSING = ['validation_error', 'quantity']
const UNKNOWN = ['not_found', undefined]

describe('a pick', () => {
  it('takes what its code stands for, once', async ({ tenant, service }) => {
    const { tea, cheese } = await goods(tenant)
    const { flow } = await startedFlow(tenant, [
      [tea, 100],
      [cheese, 9],
    ])
    let taken = 0
    for (const [index, [barcode, quantity]] of CARRIES.entries()) {
      const body = { barcode, location_id: 'A', pick_id: `p${index}` }
      const first = await pick(tenant, flow, body)
      expect([barcode, first.body.data?.pick]).toMatchObject([barcode, { product_id: tea.id, quantity }])
      expect((await pick(tenant, flow, body)).body).toEqual(first.body)
      // The quantity of the call wins; the same pick named otherwise is a repeat as well.
      expect((await pick(tenant, flow, { ...body, quantity })).body).toEqual(first.body)
      const other = { location_id: 'A', pick_id: `p${index}`, product_id: tea.id, quantity }
      expect((await pick(tenant, flow, other)).body).toEqual(first.body)
      expect(refusal(await pick(tenant, flow, { ...body, quantity: quantity + 1 }))[0]).toBe('flow_error')
      taken += quantity
    }
    expect((await pick(tenant, flow, { barcode: CASE, location_id: 'A', quantity: 1 })).body.data.pick.quantity).toBe(1)
    expect((await pick(tenant, flow, { barcode: WEIGHED, location_id: 'A' })).body.data.pick).toMatchObject({
      product_id: cheese.id,
      quantity: 1.25,
    })
    expect(await stockOf(tenant, tea)).toEqual({ A: 99 - taken })
    await expectConsistentPicking(service.db, tenant)
  })

  it('finds its product in every way without and with an Idempotency-Key, and needs a quantity that is not carried', async ({
    tenant,
  }) => {
    const { tea } = await goods(tenant)
    const { flow } = await startedFlow(tenant, [[tea, 90]])
    const codes = [EAN, `0${EAN}`, ` ${EAN} `, `]E0${EAN}`, `(01)0${EAN}(10)L`, CASE]
    for (const barcode of codes) {
      const withAndWithoutKey: Record<string, string>[] = [{}, { 'idempotency-key': `key ${barcode}` }]
      for (const headers of withAndWithoutKey)
        for (const quantity of [1, undefined]) {
          const body = { barcode, location_id: 'A', quantity }
          const key = quantity === undefined ? {} : { headers }
          const { status, body: answer } = await tenant.request('POST', `/flows/${flow}/picks`, body, key)
          if (quantity === undefined && barcode !== CASE)
            expect([barcode, answer.error.details[0]]).toEqual([barcode, { path: 'quantity', error: 'is required' }])
          else expect([barcode, status, answer.data?.pick.product_id]).toEqual([barcode, 200, tea.id])
        }
    }
    const keyed = () =>
      tenant.request(
        'POST',
        `/flows/${flow}/picks`,
        { barcode: CASE, location_id: 'A' },
        { headers: { 'idempotency-key': 'case' } },
      )
    const [first, again] = [await keyed(), await keyed()]
    expect([first.body.data.pick.quantity, again.body]).toEqual([12, first.body])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    for (const barcode of ['nothing', `(01)0${EAN}(17)271301`, '04006381333932'])
      for (const quantity of [1, undefined])
        expect(refusal(await pick(tenant, flow, { barcode, location_id: 'A', quantity }))).toEqual(UNKNOWN)
    expect(refusal(await pick(tenant, flow, { product_id: tea.id, location_id: 'A' }))).toEqual(MISSING)
    expect(refusal(await pick(tenant, flow, { barcode: '2112345000008', location_id: 'A' }))).toEqual(MISSING)
    const unknown = await pick(tenant, 999_999_999, { barcode: CASE, location_id: 'A' })
    expect(unknown.body.error.code).toBe('not_found')
  })

  it('is a repeat also when the barcode means something else by now', async ({ tenant }) => {
    const { tea } = await goods(tenant)
    const { flow } = await startedFlow(tenant, [[tea, 90]])
    const packed = { barcode: CASE, location_id: 'A', pick_id: 'packed' }
    const counted = { barcode: CASE, location_id: 'A', quantity: 3, pick_id: 'counted' }
    const first = [await pick(tenant, flow, packed), await pick(tenant, flow, counted)].map(({ body }) => body)
    expect(first.map(({ data }) => data.pick.quantity)).toEqual([12, 3])
    const repeats = async () => [(await pick(tenant, flow, packed)).body, (await pick(tenant, flow, counted)).body]
    await tenant.request('DELETE', `/products/${tea.id}/barcodes/${CASE}`)
    expect(await repeats()).toEqual(first)
    await newProduct(tenant, { barcode: CASE })
    expect(await repeats()).toEqual(first)
    for (const other of [
      { ...packed, quantity: 3 },
      { ...counted, quantity: undefined },
      { ...packed, location_id: 'B' },
    ])
      expect((await pick(tenant, flow, other)).body.error.code).toMatch('flow_error')
    expect(await stockOf(tenant, tea)).toEqual({ A: 85 })
  })

  it('takes each of many that come at once, once', { timeout: 120_000 }, async ({ tenant, service }) => {
    const { tea, cheese } = await goods(tenant, { A: 100_000 })
    const flows = await Promise.all(
      Array.from({ length: 4 }, () =>
        startedFlow(tenant, [
          [tea, 500],
          [cheese, 500],
        ]),
      ),
    )
    const picks = flows.flatMap(({ flow }) =>
      Array.from({ length: 10 }, (_, index) =>
        [EAN, CASE, `0${EAN}`, WEIGHED, GS1_CASE].map((barcode) => [flow, barcode, index] as const),
      ).flat(),
    )
    const send = ([flow, barcode, index]: (typeof picks)[number]) => {
      const isCarried = [CASE, WEIGHED, GS1_CASE].includes(barcode)
      const body = { barcode, location_id: 'A', pick_id: `${barcode}/${index}`, ...(isCarried ? {} : { quantity: 1 }) }
      return tenant.request(
        'POST',
        `/flows/${flow}/picks`,
        body,
        index % 2 === 0 ? {} : { headers: { 'idempotency-key': `${flow} ${barcode} ${index}` } },
      )
    }
    const responses = await Promise.all(picks.map(send))
    expect(responses.filter(({ status }) => status !== 200).map(({ body }) => body)).toEqual([])
    expect(await stockOf(tenant, tea)).toEqual({ A: 100_000 - 40 * (1 + 12 + 1 + 24) })
    expect(await stockOf(tenant, cheese)).toEqual({ A: 100_000 - 40 * 1.25 })
    await expectConsistentPicking(service.db, tenant)
  })

  it('shows all barcodes of a line once its product has additional ones', async ({ tenant }) => {
    const { tea, cheese } = await goods(tenant)
    await tenant.request('POST', `/products/${tea.id}/barcodes`, { barcode: 'also' })
    const { flow } = await startedFlow(tenant, [
      [tea, 2],
      [cheese, 2],
    ])
    const { lines } = (await tenant.request('GET', `/flows/${flow}`)).body.data
    expect(lines[0].barcodes).toEqual([
      { barcode: EAN, quantity: 1 },
      { barcode: CASE, quantity: 12 },
      { barcode: 'also', quantity: 1 },
    ])
    expect(Object.keys(lines[1])).not.toContain('barcodes')
  })
})

describe.each(KINDS)('$name', (kind) => {
  it('names goods by every code, and takes the quantity that it carries', async ({ tenant }) => {
    const { tea, cheese } = await goods(tenant)
    const lines = [{ barcode: CASE }, { barcode: GS1_CASE, quantity: 5 }, { barcode: WEIGHED }, { barcode: EAN, quantity: 2 }]
    const record = await announce(kind, tenant, lines, { reference: 'R' })
    const shown = record.lines.map(({ product_id, quantity }: { product_id: number; quantity: number }) => [product_id, quantity])
    expect(shown).toEqual([
      [tea.id, 12],
      [tea.id, 5],
      [cheese.id, 1.25],
      [tea.id, 2],
    ])
    const meant = [
      { product_id: tea.id, quantity: 12 },
      { sku: tea.sku, quantity: 5 },
      { product_id: cheese.id, quantity: 1.25 },
      { barcode: `0${EAN}`, quantity: 2 },
    ]
    for (const same of [lines, meant]) expect((await announce(kind, tenant, same, { reference: 'R' })).id).toBe(record.id)
    const wrong = [{ barcode: EAN }, { barcode: 'nothing', quantity: 1 }, { barcode: `]C101${CASE}300` }, { barcode: CASE }]
    const refused = await tenant.request('POST', kind.path, { lines: wrong })
    expect(refused.body.error.details).toEqual([
      { path: 'lines[0].quantity', error: 'is required' },
      { path: 'lines[1].barcode', error: 'names no product' },
      { path: 'lines[2].quantity', error: 'is required' },
    ])
    expect(refusal(await tenant.request('POST', kind.path, { lines: [{ sku: tea.sku }] }))).toEqual([
      'validation_error',
      'lines[0].quantity',
    ])

    const receipts = [
      { barcode: CASE, receipt_id: '1' },
      { barcode: `]C101${CASE}305`, quantity: 3, receipt_id: '2' },
      { barcode: WEIGHED, receipt_id: '3' },
      { barcode: EAN, quantity: 1, receipt_id: '4' },
    ]
    const made = []
    for (const receipt of receipts)
      made.push((await receive(kind, tenant, record, { location_id: 'A', ...receipt })).body.data.receipt)
    expect(made.map(({ product_id, quantity }) => [product_id, quantity])).toEqual([
      [tea.id, 12],
      [tea.id, 3],
      [cheese.id, 1.25],
      [tea.id, 1],
    ])
    expect(received(await read(kind, tenant, record))).toEqual([12, 4, 1.25, 0])
    await tenant.request('DELETE', `/products/${tea.id}/barcodes/${CASE}`)
    await tenant.request('PUT', '/settings', { weight_barcodes: [] })
    for (const [index, receipt] of receipts.entries())
      expect((await receive(kind, tenant, record, { location_id: 'A', ...receipt })).body.data.receipt).toEqual(made[index])
    expect((await announce(kind, tenant, lines, { reference: 'R' })).id).toBe(record.id)
    const other = await receive(kind, tenant, record, { location_id: 'A', barcode: EAN, receipt_id: '1' })
    expect(other.body.error.code).toBe('idempotency_conflict')
    expect(refusal(await receive(kind, tenant, record, { location_id: 'A', barcode: EAN }))).toEqual(MISSING)
    for (const barcode of [CASE, WEIGHED])
      for (const quantity of [1, undefined])
        expect(refusal(await receive(kind, tenant, record, { location_id: 'A', barcode, quantity }))).toEqual(UNKNOWN)
  })
})

describe('a receipt', () => {
  it('goes to lines of many, to a new place and to a new line by its code', async ({ tenant }) => {
    const { tea, cheese } = await goods(tenant)
    const many = Array.from({ length: 150 }, () => ({ product_id: tea.id, quantity: 1 }))
    const record = await announce(INBOUND, tenant, many, { allow_over: true })
    const { receipt } = (await receive(INBOUND, tenant, record, { barcode: GS1_CASE, location_id: 'NEW' })).body.data
    expect([receipt.quantity, receipt.lines.length]).toEqual([24, 24])
    const { inbound } = (await receive(INBOUND, tenant, record, { barcode: WEIGHED, location_id: 'NEW' })).body.data
    expect(inbound.lines.at(-1)).toMatchObject({ product_id: cheese.id, quantity: 0, received_quantity: 1.25 })
  })
})

describe('an entry of a count', () => {
  it('names its product by every code, and always needs a quantity', async ({ tenant }) => {
    const { tea } = await goods(tenant)
    const { id } = (await tenant.request('POST', '/counts', { location_ids: ['A'] })).body.data
    const enter = (body: object) => tenant.request('POST', `/counts/${id}/entries`, { location_id: 'A', ...body })
    expect(refusal(await enter({ barcode: CASE }))).toEqual(MISSING)
    const body = { barcode: GS1_CASE, quantity: 90, entry_id: 'e' }
    const first = await enter(body)
    expect(first.body.data.line).toMatchObject({ product_id: tea.id, counted_quantity: 90, variance: -10 })
    expect((await enter({ ...body, barcode: EAN })).body).toEqual(first.body)
    await tenant.request('DELETE', `/products/${tea.id}/barcodes/${CASE}`)
    expect((await enter(body)).body).toEqual(first.body)
    expect((await enter({ barcode: CASE, quantity: 1 })).body.error.code).toBe('not_found')
    expect((await enter({ ...body, barcode: WEIGHED })).body.error.code).toBe('idempotency_conflict')
  })
})

describe('a hold', () => {
  it('names its products by every code', async ({ tenant }) => {
    const { tea, cheese } = await goods(tenant)
    await reserve(tenant, 'track')
    const lines = [{ barcode: GS1_CASE }, { barcode: WEIGHED }, { barcode: `0${EAN}`, quantity: 2 }]
    const { body } = await tenant.request('POST', '/holds', { reference: 'cart', lines })
    expect(body.data.lines).toMatchObject([
      { product_id: tea.id, quantity: 24 },
      { product_id: cheese.id, quantity: 1.25 },
      { product_id: tea.id, quantity: 2 },
    ])
    const changed = await tenant.request('PUT', `/holds/${body.data.id}`, { lines: [{ barcode: CASE }] })
    expect(changed.body.data.lines).toMatchObject([{ product_id: tea.id, quantity: 12 }])
    expect(refusal(await tenant.request('POST', '/holds', { reference: 'other', lines: [{ barcode: EAN }] }))).toEqual([
      'validation_error',
      'lines[0].quantity',
    ])
  })
})
