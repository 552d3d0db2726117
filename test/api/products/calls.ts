import type { ServiceResponse, TestTenant } from '../../support/service.ts'

export const create = async (tenant: TestTenant, fields: object): Promise<ServiceResponse['body']> =>
  (await tenant.request('POST', '/products', fields)).body.data

export const get = async (tenant: TestTenant, id: number): Promise<ServiceResponse['body']> =>
  (await tenant.request('GET', `/products/${id}`)).body.data

export const TEA = {
  name: 'Green tea',
  barcode: '4006381333931',
  sku: 'TEA-1',
  category: 'Tea',
  description: 'From Uji',
  price: 4.95,
  weight: 0.1,
  width: 5,
  height: 12.5,
  depth: 5,
  weighable: false,
  photo_url: 'https://example.com/tea.png',
  cost: 2.1,
  sales_unit: 6,
  minimum_threshold: 10.5,
  reorder_quantity: 50,
}
