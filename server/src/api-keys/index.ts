export { insertApiKey } from './create-api-key.ts'
export { findCaller, recordKeyUse, type KnownKey } from './find-caller.ts'
export { apiKeysRouter } from './router.ts'
export { newApiKey, PRESETS } from './schemas.ts'
