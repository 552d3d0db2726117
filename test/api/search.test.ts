import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { describe, expect, inject } from 'vitest'
import { readMigration } from '../upgrade/support/old-database.ts'
import { dropDatabase } from '../support/test-database.ts'
import { it } from '../support/shared-service.ts'
import { newOrder } from '../support/orders.ts'
import type { TestTenant } from '../support/service.ts'

const orderNames = async (tenant: TestTenant, text: string): Promise<string[]> =>
  (await tenant.request('GET', `/orders?customer_name=${encodeURIComponent(text)}`)).body.data.orders
    .map(({ customer_name }: { customer_name: string }) => customer_name)
    .toSorted()

const productBarcodes = async (tenant: TestTenant, query: string): Promise<string[]> =>
  (await tenant.request('GET', `/products?${query}`)).body.data.products
    .map(({ barcode }: { barcode: string }) => barcode)
    .toSorted()

/** Stored texts with parts that find them. */
const FOUND: [stored: string, parts: string[]][] = [
  ['Jürgen Müller-Lüdenscheidt', ['JÜRGEN', 'ÜLL', 'r-l', 'Müller-L', 'n M', 'ü']],
  ['İSTANBUL Ticaret', ['istanbul', 'İst', 'TICARET']],
  ['Οδυσσεύς και Σία', ['ΟΔΥΣ', 'σεύσ', 'ΣΕΎΣ', 'σία', 'ς κ']],
  ['Зелёный ЧАЙ', ['ёНЫЙ', 'ый чай', 'ча']],
  ['王小明 商店', ['王小明', '明 商', '王']],
  ['a - b / 1-2-3 (c)', [' - ', '- b', '1-2', '-2-', ' / ', '(C)', '/']],
  ['50%_off \\ today', ['%_O', '_of', '\\ T', '%', '0%_']],
  ['😀😀😀 smile', ['😀😀😀', '😀 s']],
]

describe('a search', () => {
  it.for(FOUND)('finds %s by its parts, whatever their case', async ([stored, parts], { tenant }) => {
    await newOrder(tenant, { customer_name: stored })
    await newOrder(tenant, { customer_name: 'another one' })
    await newOrder(tenant)
    await tenant.request('POST', '/products', { name: stored, barcode: 'by name' })
    await tenant.request('POST', '/products', { name: 'x', barcode: 'by SKU', sku: stored })
    await tenant.request('POST', '/products', { name: 'x', barcode: stored })
    await tenant.request('POST', '/products', { name: 'x', barcode: 'another', sku: 'x' })
    for (const part of parts) {
      expect([part, await orderNames(tenant, part)]).toEqual([part, [stored]])
      expect([part, await productBarcodes(tenant, `search=${encodeURIComponent(part)}`)]).toEqual([
        part,
        [stored, 'by SKU', 'by name'].toSorted(),
      ])
    }
  })

  it('finds no text that has the same three characters in another order, or in two fields', async ({ tenant }) => {
    await newOrder(tenant, { customer_name: 'abcdbcd' })
    expect(await orderNames(tenant, 'abcdbcd')).toEqual(['abcdbcd'])
    expect(await orderNames(tenant, 'bcdbcd')).toEqual(['abcdbcd'])
    expect(await orderNames(tenant, 'bcdabcd')).toEqual([])
    await tenant.request('POST', '/products', { name: 'abcd', barcode: 'cdef' })
    expect(await productBarcodes(tenant, 'search=abcdef')).toEqual([])
  })

  it('of nothing lists every record that has the text', async ({ tenant }) => {
    await newOrder(tenant, { customer_name: 'Ada' })
    await newOrder(tenant)
    expect(await orderNames(tenant, '')).toEqual(['Ada'])
    expect(await productBarcodes(tenant, 'search=')).toEqual(await productBarcodes(tenant, ''))
  })

  it.for(['ada', 'ad'])(
    'for %s finds the texts of now, with other filters and page by page',
    async (text, { tenant, service }) => {
      const { id } = await newOrder(tenant, { customer_name: 'Ada L' })
      await newOrder(tenant, { customer_name: 'Ada K' })
      const other = await service.newTenant()
      await newOrder(other, { customer_name: 'Ada M' })
      await tenant.request('PUT', `/orders/${id}`, { customer_name: 'Grace' })
      expect(await orderNames(tenant, text)).toEqual(['Ada K'])
      await tenant.request('PUT', `/orders/${id}`, { customer_name: 'Ada G', state_id: 3 })
      expect(await orderNames(tenant, text)).toEqual(['Ada G', 'Ada K'])
      const { body } = await tenant.request('GET', `/orders?customer_name=${text}&state_id=3&limit=1`)
      expect([body.data.orders[0].id, body.data.pagination.total]).toEqual([id, 1])
      const second = await tenant.request('GET', `/orders?customer_name=${text}&page=2&limit=1`)
      expect([second.body.data.orders[0].id, second.body.data.pagination.total]).toEqual([id, 2])
      expect(
        (await tenant.request('GET', `/orders?customer_name=${text}&assembly_date=2001-01-01`)).body.data.pagination.total,
      ).toBe(0)
    },
  )

  it('of products takes a category and deleted products', async ({ tenant }) => {
    await tenant.request('POST', '/products', { name: 'Green tea', barcode: '1', category: 'Tea' })
    await tenant.request('POST', '/products', { name: 'Green paint', barcode: '2' })
    const { body } = await tenant.request('POST', '/products', { name: 'Green coffee', barcode: '3', category: 'Tea' })
    await tenant.request('DELETE', `/products/${body.data.id}`)
    for (const text of ['green', 'gr']) {
      expect(await productBarcodes(tenant, `search=${text}`)).toEqual(['1', '2'])
      expect(await productBarcodes(tenant, `search=${text}&category=Tea`)).toEqual(['1'])
      expect(await productBarcodes(tenant, `search=${text}&category=Tea&is_active=false`)).toEqual(['3'])
    }
  })
})

describe('letters of either case are the same', () => {
  const LOCALES = [
    `locale_provider libc locale 'C'`,
    `locale_provider icu icu_locale 'en-US' locale 'C'`,
    `locale_provider icu icu_locale 'tr-TR' locale 'C'`,
  ]
  it.for(LOCALES)('in a database with %s', async (locale) => {
    const name = `locale_${randomBytes(8).toString('hex')}`
    const url = new URL(inject('postgresUrl'))
    const admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    await admin.query(`create database ${name} template template0 encoding 'UTF8' ${locale}`)
    await admin.end()
    url.pathname = `/${name}`
    const client = new pg.Client({ connectionString: url.href })
    await client.connect()
    try {
      // The migration begins with the functions.
      const [functions] = (await readMigration('0013_search')).split('create table product_count_changes')
      await client.query(functions as string)
      const { rows } = await client.query(
        `select fold_case('ÄÖÜ ẞ İI ΟΔΥΣ ΣΊΑ ЖЁ ÅNGSTRÖM') as folded, search_keys(7, 'ÄÖÜ', null, 'ab') = search_keys(7, 'äöü') as same, search_keys(7, 'ÄÖÜ') <> search_keys(8, 'ÄÖÜ') as own`,
      )
      expect(rows).toEqual([{ folded: 'äöü ß ii οδυσ σία жё ångström', same: true, own: true }])
    } finally {
      await client.end()
      await dropDatabase(url.href)
    }
  })
})
