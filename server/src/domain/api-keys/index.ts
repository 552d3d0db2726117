export { insertApiKey } from './create-api-key.ts'
export { findCaller, recordKeyUse, tenantOfMovedKey, type KnownKey } from './find-caller.ts'
export { tenantOfKey } from './key-value.ts'
export { createApiKeyInput, PRESETS } from './schemas.ts'
