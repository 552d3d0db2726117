import type { SessionsListResult } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useSession } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { useWrite } from '../../data/use-write.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { browserName } from './browser-name.ts'

export type ListedSession = SessionsListResult['sessions'][number]

/** Who is signed in, and where. */
export function SessionsScreen() {
  const mine = useSession().id
  const [ended, setEnded] = useState<readonly ListedSession[]>()
  const query = useRead(['sessions'], (api, options) => api.sessions.list(options), { isMain: true })
  const others = (query.data?.sessions ?? []).filter(({ id }) => id !== mine)
  return (
    <Screen title={t.sessions.title} actions={<EndOthers isDisabled={others.length === 0} onPress={() => setEnded(others)} />}>
      <Region query={query}>
        {({ sessions }) => (
          <>
            <Table
              caption={t.sessions.title}
              columns={columns(mine, (session) => setEnded([session]))}
              rows={sessions}
              rowKey={({ id }) => id}
            />
            <p>{t.sessions.total(sessions.length)}</p>
          </>
        )}
      </Region>
      {ended !== undefined && <EndSessions sessions={ended} onClose={() => setEnded(undefined)} />}
    </Screen>
  )
}

function EndOthers(props: { isDisabled: boolean; onPress: () => void }) {
  return (
    <Button kind="bad" scope="admin" {...props}>
      {t.sessions.endOthers}
    </Button>
  )
}

function EndSessions({ sessions, onClose }: { sessions: readonly ListedSession[]; onClose: () => void }) {
  const [only] = sessions
  const isOne = sessions.length === 1 && only !== undefined
  const write = useWrite({
    write: async (api, ids: number[], { idempotencyKey }) => {
      for (const id of ids) await api.sessions.end(id, { idempotencyKey: `${idempotencyKey}-${id}` })
    },
    done: (_, ids) => t.sessions.ended(ids.length),
    onDone: onClose,
  })
  return (
    <Confirm
      {...write}
      isOpen
      title={isOne ? t.sessions.end(nameOf(only)) : t.sessions.endOthers}
      act={isOne ? t.sessions.endOne : t.sessions.endMany(sessions.length)}
      scope="admin"
      calls={sessions.map(
        ({ id }) =>
          (api) =>
            api.sessions.end(id),
      )}
      onClose={onClose}
      onConfirm={() => void write.send(sessions.map(({ id }) => id))}
    >
      <p>{t.sessions.endText}</p>
    </Confirm>
  )
}

const nameOf = ({ device_name, key_name }: ListedSession): string => device_name ?? key_name

function Browser({ userAgent }: { userAgent: string | null }) {
  if (userAgent === null) return <None />
  return <span title={userAgent}>{browserName(userAgent) ?? userAgent}</span>
}

const columns = (mine: number, end: (session: ListedSession) => void): Column<ListedSession>[] => [
  {
    id: 'name',
    header: t.sessions.of,
    isWide: true,
    cell: (session) => (
      <>
        {nameOf(session)} {session.id === mine && <Badge kind="ok">{t.sessions.mine}</Badge>}
      </>
    ),
  },
  { id: 'operator', header: t.sessions.operator, cell: ({ operator }) => <Value text={operator?.name} /> },
  { id: 'address', header: t.sessions.address, cell: ({ address }) => address },
  { id: 'agent', header: t.sessions.userAgent, isWide: true, cell: ({ user_agent }) => <Browser userAgent={user_agent} /> },
  { id: 'created', header: t.sessions.created, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'seen', header: t.sessions.lastSeen, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  { id: 'expires', header: t.keys.expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    id: 'actions',
    header: t.keys.actions,
    cell: (session) => (
      <Button kind="quiet" scope="admin" aria-label={t.sessions.end(nameOf(session))} onPress={() => end(session)}>
        {t.sessions.endShort}
      </Button>
    ),
  },
]
