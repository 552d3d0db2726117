import { endpoint } from '../../procedures/endpoint.ts'
import { readSettings } from './read-settings.ts'
import { getSettingsInput, settings } from './schemas.ts'

/** All settings of the tenant. */
export const getSettings = endpoint({
  name: 'settings.get',
  scope: 'read:stock',
  method: 'GET',
  path: '/settings',
  summary: 'Get the settings',
  description: 'All settings of the tenant. A sandbox has its own.',
  isAddition: true,
  input: getSettingsInput,
  output: settings,
  run: ({ db, caller }) => readSettings(db, caller.tenantId),
})
