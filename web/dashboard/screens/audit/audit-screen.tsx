import type { AuditEntry } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { MODE } from '../../data/client.ts'
import { useRead } from '../../data/use-read.ts'
import { Badge } from '../../kit/badge.tsx'
import { Breakable } from '../../kit/breakable.tsx'
import { CursorTable } from '../../kit/cursor-table.tsx'
import { ExportButton } from '../../kit/export-button.tsx'
import { Filters } from '../../kit/filters.tsx'
import { Id } from '../../kit/id.tsx'
import { JsonCell } from '../../kit/json-body.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { type Column, Stacked } from '../../kit/table.tsx'
import { None, Time, Value } from '../../kit/time.tsx'
import { filterBy, isFiltered } from '../../search-parameters.ts'
import { AuditFilters } from './audit-filters.tsx'

const LIMIT = 50

/** Every change, newest first: who made it, from where, and what came of it. */
export function AuditScreen() {
  const search = useSearch({ from: '/frame/audit' })
  const navigate = useNavigate({ from: '/audit' })
  const { cursor, ...filters } = search
  const filter = filterBy(navigate)
  const query = useRead(['audit', search], (api, options) => api.auditLog.list({ ...search, limit: LIMIT }, options), {
    isMain: true,
  })
  return (
    <Screen title={t.nav.audit} actions={<ExportButton resource="audit" query={filters} scope="admin" />}>
      <Filters isSet={isFiltered(search)} onClear={() => void navigate({ search: {} })}>
        <AuditFilters search={search} filter={filter} />
      </Filters>
      <CursorTable
        query={query}
        caption={t.nav.audit}
        columns={COLUMNS}
        rowsOf={({ entries }) => entries}
        rowKey={({ id }) => id}
        limit={LIMIT}
        news={{ list: JSON.stringify(search), text: t.audit.more }}
        count={t.audit.onPage}
        empty={<Empty text={isFiltered(search) ? t.audit.noMatch : t.audit.none} />}
        cursor={cursor}
        onPage={(next) => filter({ cursor: next })}
      />
    </Screen>
  )
}

/**
 * The command line has no key; its entries have the command for a name. In the test mode, the key of a session may be a live one, which is not
 * among the keys there.
 */
function KeyLink({ entry: { key_id: id, key_name: name, session_id } }: { entry: AuditEntry }) {
  if (id === 0 || (MODE === 'test' && session_id !== null)) return name
  return (
    <Link to="/keys/$id" params={{ id: String(id) }}>
      {name}
    </Link>
  )
}

const COLUMNS: Column<AuditEntry>[] = [
  { id: 'at', header: t.audit.at, isTight: true, cell: ({ at }) => <Time at={at} /> },
  { id: 'who', header: t.audit.who, isWide: true, cell: (entry) => <Who entry={entry} /> },
  { id: 'operation', header: t.audit.operation, isTight: true, cell: ({ operation }) => <Breakable text={operation} /> },
  { id: 'input', header: t.audit.input, cell: ({ input }) => <JsonCell value={input} /> },
  { id: 'error', header: t.audit.error, isTight: true, cell: ({ error }) => <Failure code={error} /> },
  { id: 'address', header: t.audit.address, isTight: true, cell: ({ address }) => <Address address={address} /> },
  { id: 'request', header: t.audit.requestId, cell: ({ request_id }) => <Id id={request_id} isShort /> },
]

/** The key, and from where and in whose name it was used. */
function Who({ entry }: { entry: AuditEntry }) {
  const { operator_email, surface } = entry
  const below = [t.audit.surfaces[surface], operator_email].filter((text) => text !== null).join(', ')
  return (
    <Stacked below={below}>
      <KeyLink entry={entry} />
    </Stacked>
  )
}

function Failure({ code }: { code: string | null }) {
  if (code === null) return <None />
  return (
    <Badge kind="bad">
      <span>
        <Breakable text={code} />
      </span>
    </Badge>
  )
}

// Only IPv6 is long enough to break.
function Address({ address }: { address: string | null }) {
  return address?.includes(':') === true ? <Breakable text={address} /> : <Value text={address} />
}
