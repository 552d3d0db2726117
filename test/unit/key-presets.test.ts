import { expect, it } from 'vitest'
import { PRESETS } from '@fulfillment/server/domain/api-keys/schemas.ts'
import { PRESETS as OF_THE_DASHBOARD } from '../../web/dashboard/screens/keys/key-choices.ts'

it('the dashboard ticks the scopes that a preset of the API stands for', () => {
  expect(OF_THE_DASHBOARD).toEqual(PRESETS)
})
