import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

const require = createRequire(import.meta.url)

test('classes have their names in CommonJS too, where logs and error trackers show them', () => {
  const sdk = require('@fulfillment/sdk') as Record<string, { name: string }>
  expect(Object.keys(sdk)).toContain('APIError')
  for (const [name, exported] of Object.entries(sdk)) expect(exported.name).toBe(name)
})
