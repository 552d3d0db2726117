import { slice } from '../../procedures/slice.ts'
import { HOUR_MS } from '../../runtime/periodic.ts'
import { endSession } from './end-session.ts'
import { listSessions } from './list-sessions.ts'
import { removeOldSessions } from './remove-old-sessions.ts'

/** Sign-ins of the pages, and devices. */
export const sessions = slice({
  tags: [{ name: 'sessions', description: 'Sign-ins to the dashboard, and enrolled devices.' }],
  endpoints: [listSessions, endSession],
  tasks: [{ everyMs: HOUR_MS, run: removeOldSessions }],
})
