import { expect, it } from 'vitest'
import { listProducts } from '@fulfillment/server/domain/products/list-products.ts'
import { ToolCatalog } from '@fulfillment/server/mcp/tool-catalog.ts'
import type { Caller } from '@fulfillment/server/procedures/context.ts'
import type { Endpoint } from '@fulfillment/server/procedures/endpoint.ts'

it('tools that could not be made are made for the next agent', async () => {
  let isFailing = true
  const broken = new Proxy<Endpoint>(listProducts, {
    get: (target, key) => {
      if (key === 'summary' && isFailing) throw new Error('out of memory')
      return Reflect.get(target, key)
    },
  })
  const catalog = new ToolCatalog([broken])
  const toolsFor = () => catalog.toolsFor({ scopes: ['admin'] } as unknown as Caller, () => true)
  await expect(toolsFor()).rejects.toThrow('out of memory')
  isFailing = false
  expect(await toolsFor()).toMatchObject([{ name: 'products_list' }])
})
