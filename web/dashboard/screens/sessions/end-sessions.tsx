import type { SessionsListResult } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

export type ListedSession = SessionsListResult['sessions'][number]

/** What people call a session: the name of its device or key. */
export const nameOf = ({ device_name, key_name }: ListedSession): string => device_name ?? key_name

/** Asks before sessions are ended. */
export function EndSessions({ sessions, onClose }: { sessions: readonly ListedSession[]; onClose: () => void }) {
  const [only] = sessions
  const isOne = sessions.length === 1 && only !== undefined
  return (
    <WriteDialog
      title={isOne ? t.sessions.end(nameOf(only)) : t.sessions.endOthers}
      act={isOne ? t.sessions.endOne : t.sessions.endMany(sessions.length)}
      scope="admin"
      calls={sessions.map(
        ({ id }) =>
          (api) =>
            api.sessions.end(id),
      )}
      input={sessions.map(({ id }) => id)}
      write={async (api, ids, { idempotencyKey }) => {
        for (const id of ids) await api.sessions.end(id, { idempotencyKey: `${idempotencyKey}-${id}` })
      }}
      done={(_, ids) => t.sessions.ended(ids.length)}
      onClose={onClose}
    >
      <p>{t.sessions.endText}</p>
      {sessions.some(({ kind }) => kind === 'device') && <p>{t.sessions.endDevices}</p>}
    </WriteDialog>
  )
}
