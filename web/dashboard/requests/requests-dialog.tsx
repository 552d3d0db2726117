import { curlOf } from '../../shared/curl.ts'
import type { CallRecord } from '../../shared/page-fetch.ts'
import { t } from '../../shared/texts/texts.ts'
import { calls } from '../data/client.ts'
import { usePublicOrigin } from '../data/session.tsx'
import { createStore, useStore } from '../data/store.ts'
import { Badge } from '../kit/badge.tsx'
import { Button } from '../kit/button.tsx'
import { copyText } from '../kit/copy-text.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Id } from '../kit/id.tsx'
import { type Column, Table } from '../kit/table.tsx'
import { Clock, None } from '../kit/time.tsx'

/** Whether the panel of requests is open. */
export const requestsOpen = createStore(false)

/** The last API calls of this tab, for those who look for a request in the server's log or build an integration. */
export function RequestsDialog() {
  const isOpen = useStore(requestsOpen)
  const recorded = useStore(calls)
  const origin = usePublicOrigin()
  return (
    <Dialog title={t.requests.title} isOpen={isOpen} isWide onClose={() => requestsOpen.set(() => false)}>
      {recorded.length === 0 ? (
        <p>{t.requests.none}</p>
      ) : (
        <Table caption={t.requests.title} columns={columns(origin)} rows={recorded} rowKey={keyOf} />
      )}
    </Dialog>
  )
}

const keyOf = ({ at, requestId, path }: CallRecord): string => `${at.getTime()} ${requestId ?? path}`

const columns = (origin: string): Column<CallRecord>[] => [
  { id: 'at', header: t.movements.at, cell: ({ at }) => <Clock at={at} /> },
  { id: 'call', header: t.requests.call, isWide: true, cell: ({ method, path }) => <code>{`${method} ${path}`}</code> },
  { id: 'status', header: t.requests.status, cell: ({ status }) => <Status status={status} /> },
  { id: 'duration', header: t.requests.duration, isNumber: true, cell: ({ durationMs }) => durationMs },
  {
    id: 'request',
    header: t.requests.id,
    cell: ({ requestId }) => (requestId === undefined ? <None /> : <Id id={requestId} isShort />),
  },
  {
    id: 'actions',
    header: t.keys.actions,
    cell: ({ method, path, body }) => (
      <Button kind="quiet" onPress={() => void copyText(curlOf({ method, url: origin + path, body }), t.copy.curlDone(1))}>
        {t.copy.curl}
      </Button>
    ),
  },
]

function Status({ status }: { status: number }) {
  if (status === 0) return <Badge kind="bad">{t.requests.noResponse}</Badge>
  return <Badge kind={status < 300 ? 'ok' : 'bad'}>{status}</Badge>
}
