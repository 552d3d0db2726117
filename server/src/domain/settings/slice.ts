import { slice } from '../../procedures/slice.ts'
import { getSettings } from './get-settings.ts'
import { updateSettings } from './update-settings.ts'

/** Settings of a tenant. */
export const settings = slice({
  tags: [{ name: 'settings', description: 'Settings of the tenant. A sandbox has its own.' }],
  endpoints: [getSettings, updateSettings],
})
