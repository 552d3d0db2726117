import type { ApiKey } from '@fulfillment/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { PagedTable } from '../../kit/paged-table.tsx'
import { Empty } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import type { Column } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { KeyState, keyState } from './key-state.tsx'
import { RevokeKey } from './revoke-key.tsx'

const LIMIT = 50

/** All keys of the tenant, newest first. */
export function KeysScreen() {
  const { page = 1 } = useSearch({ from: '/frame/keys' })
  const navigate = useNavigate({ from: '/keys' })
  const [revoked, setRevoked] = useState<ApiKey>()
  const query = useRead(['apiKeys', page], (api, options) => api.apiKeys.list({ page, limit: LIMIT }, options), { isMain: true })
  return (
    <Screen title={t.keys.title} actions={query.data?.pagination.total !== 0 && <NewKey />}>
      <PagedTable
        query={query}
        caption={t.keys.title}
        columns={columns(setRevoked)}
        rowsOf={({ api_keys }) => api_keys}
        rowKey={({ id }) => id}
        total={t.keys.total}
        empty={
          <Empty text={t.keys.none}>
            <NewKey />
          </Empty>
        }
        page={page}
        onPage={(next) => void navigate({ search: { page: next } })}
      />
      {revoked !== undefined && <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </Screen>
  )
}

function NewKey() {
  return (
    <ButtonLink to="/keys/new" kind="primary" scope="admin">
      {t.keys.new}
    </ButtonLink>
  )
}

const columns = (revoke: (key: ApiKey) => void): Column<ApiKey>[] => [
  {
    id: 'name',
    header: t.keys.name,
    isWide: true,
    cell: ({ id, name }) => (
      <Link to="/keys/$id" params={{ id: String(id) }}>
        {name}
      </Link>
    ),
  },
  { id: 'prefix', header: t.keys.prefix, cell: ({ prefix }) => <code>{prefix}</code> },
  { id: 'scopes', header: t.keys.scopes, isTight: true, cell: ({ scopes }) => scopes.join(', ') },
  { id: 'mode', header: t.keys.mode, cell: ({ mode }) => t.frame.modes[mode] },
  {
    id: 'expires',
    header: t.keys.expires,
    isTight: true,
    cell: ({ expires_at }) => (expires_at === null ? t.keys.never : <Time at={expires_at} />),
  },
  {
    id: 'addresses',
    header: t.keys.addresses,
    isWide: true,
    cell: ({ ip_whitelist }) => <Value text={ip_whitelist.join(', ')} />,
  },
  { id: 'used', header: t.keys.lastUsed, isTight: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { id: 'state', header: t.keys.state, cell: (key) => <KeyState apiKey={key} /> },
  {
    id: 'actions',
    header: t.keys.actions,
    cell: (key) =>
      keyState(key) === 'revoked' ? null : (
        <Button kind="quiet" scope="admin" aria-label={t.keys.revoke(key.name)} onPress={() => revoke(key)}>
          {t.keys.revokeShort}
        </Button>
      ),
  },
]
