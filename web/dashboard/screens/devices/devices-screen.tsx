import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { MODE } from '../../data/client.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { Browser } from '../sessions/browser.tsx'
import { EndSessions, type ListedSession, nameOf } from '../sessions/end-sessions.tsx'
import { EnrolDevice } from './enrol-device.tsx'

/** A device that was enrolled just now is soon on the list. */
const EVERY_MS = 5_000

/** The devices that are enrolled, and who uses them. */
export function DevicesScreen() {
  const [isEnrolling, setEnrolling] = useState(false)
  const [ended, setEnded] = useState<ListedSession>()
  const query = useRead(['sessions'], (api, options) => api.sessions.list(options), { isMain: true, everyMs: EVERY_MS })
  const devices = query.data?.sessions.filter(({ kind, mode }) => kind === 'device' && mode === MODE) ?? []
  const enrol = (
    <Button kind="primary" scope="admin" onPress={() => setEnrolling(true)}>
      {t.devices.enrol}
    </Button>
  )
  return (
    <Screen
      title={t.nav.devices}
      actions={
        <>
          <ButtonLink to="/devices/commands">{t.devices.commands}</ButtonLink>
          {devices.length > 0 && enrol}
        </>
      }
    >
      <Region query={query}>
        {() =>
          devices.length === 0 ? (
            <Empty text={t.devices.none}>{enrol}</Empty>
          ) : (
            <>
              <Table caption={t.nav.devices} columns={columns(setEnded)} rows={devices} rowKey={({ id }) => id} />
              <p>{t.devices.total(devices.length)}</p>
            </>
          )
        }
      </Region>
      {isEnrolling && <EnrolDevice onClose={() => setEnrolling(false)} />}
      {ended !== undefined && <EndSessions sessions={[ended]} onClose={() => setEnded(undefined)} />}
    </Screen>
  )
}

const columns = (end: (device: ListedSession) => void): Column<ListedSession>[] => [
  { id: 'name', header: t.devices.name, isWide: true, cell: nameOf },
  { id: 'operator', header: t.devices.signedIn, isWide: true, cell: ({ operator }) => <Value text={operator?.name} /> },
  { id: 'seen', header: t.sessions.lastSeen, isTight: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
  { id: 'key', header: t.audit.key, isWide: true, cell: ({ key_name }) => key_name },
  { id: 'agent', header: t.sessions.userAgent, isWide: true, cell: ({ user_agent }) => <Browser userAgent={user_agent} /> },
  { id: 'address', header: t.sessions.address, isTight: true, cell: ({ address }) => address },
  { id: 'enrolled', header: t.devices.enrolled, isTight: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'expires', header: t.keys.expires, isTight: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
  {
    id: 'actions',
    header: t.keys.actions,
    cell: (device) => (
      <Button kind="quiet" scope="admin" aria-label={t.sessions.end(nameOf(device))} onPress={() => end(device)}>
        {t.sessions.endShort}
      </Button>
    ),
  },
]
