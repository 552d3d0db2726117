import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useSession } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { Button } from '../../kit/button.tsx'
import { Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { Browser } from './browser.tsx'
import { EndSessions, type ListedSession, nameOf } from './end-sessions.tsx'

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

const columns = (mine: number, end: (session: ListedSession) => void): Column<ListedSession>[] => [
  {
    id: 'name',
    header: t.sessions.of,
    isWide: true,
    cell: (session) => (
      <>
        {nameOf(session)} {session.id === mine && <Badge kind="ok">{t.sessions.mine}</Badge>}
        {session.mode === 'test' && <Badge kind="muted">{t.frame.modes.test}</Badge>}
      </>
    ),
  },
  { id: 'operator', header: t.sessions.operator, cell: ({ operator }) => <Value text={operator?.name} /> },
  { id: 'address', header: t.sessions.address, cell: ({ address }) => address },
  { id: 'agent', header: t.sessions.userAgent, isWide: true, cell: ({ user_agent }) => <Browser userAgent={user_agent} /> },
  { id: 'created', header: t.sessions.created, isTight: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'seen', header: t.sessions.lastSeen, isTight: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  { id: 'expires', header: t.keys.expires, isTight: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
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
