import { slice } from '../../procedures/slice.ts'
import { endSession } from './end-session.ts'
import { listSessions } from './list-sessions.ts'

// Not in index.ts, which has what only sign-ins need: a start loads none of it.
export { removeOldSessions } from './remove-old-sessions.ts'

/** Sign-ins of the pages, and devices. */
export const sessions = slice({
  tags: [{ name: 'sessions', description: 'Sign-ins to the dashboard, and enrolled devices.' }],
  endpoints: [listSessions, endSession],
})
