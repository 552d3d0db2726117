import type { ApiKey } from '@fulfillment/sdk'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { Empty, Region } from '../../kit/region.tsx'
import { Facts, Screen, Section } from '../../kit/screen.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { aDayAgo, UsageByHour } from '../../kit/usage-table.tsx'
import { KeyState, keyState } from './key-state.tsx'
import { RevokeKey } from './revoke-key.tsx'

/** One key, without its value. */
export function KeyScreen() {
  const { id } = useParams({ from: '/frame/keys/$id' })
  const query = useRead(['apiKey', id], (api, options) => api.apiKeys.get(Number(id), options), { isMain: true, keep: false })
  return (
    <Screen title={query.data?.name ?? t.keys.one(id)} actions={query.data && <Actions apiKey={query.data} />}>
      <Region query={query} missing={t.keys.missing(id)}>
        {(key) => (
          <>
            <Facts facts={factsOf(key)} />
            <KeyUsage id={key.id} />
          </>
        )}
      </Region>
    </Screen>
  )
}

function Actions({ apiKey }: { apiKey: ApiKey }) {
  const [isRevoking, setRevoking] = useState(false)
  return (
    <>
      <ButtonLink to="/keys/new" search={{ like: String(apiKey.id) }} scope="admin">
        {t.keys.like}
      </ButtonLink>
      {keyState(apiKey) !== 'revoked' && (
        <Button kind="bad" scope="admin" aria-label={t.keys.revoke(apiKey.name)} onPress={() => setRevoking(true)}>
          {t.keys.revokeShort}
        </Button>
      )}
      {isRevoking && <RevokeKey apiKey={apiKey} onClose={() => setRevoking(false)} />}
    </>
  )
}

function KeyUsage({ id }: { id: number }) {
  const range = { key_id: id, since: aDayAgo() }
  const query = useRead(['usage', range], (api, options) => api.reports.usage(range, options), { keep: false })
  return (
    <Section
      title={t.usage.title}
      actions={
        <ButtonLink to="/usage" search={{ key_id: id }}>
          {t.usage.byOperation}
        </ButtonLink>
      }
    >
      <Region query={query}>
        {({ hours }) => (hours.length === 0 ? <Empty text={t.usage.none} /> : <UsageByHour hours={hours} />)}
      </Region>
    </Section>
  )
}

const factsOf = (key: ApiKey) => [
  { name: t.keys.state, value: <KeyState apiKey={key} /> },
  { name: t.keys.prefix, value: <code>{key.prefix}</code> },
  { name: t.keys.scopes, value: key.scopes.join(', ') },
  { name: t.keys.mode, value: t.frame.modes[key.mode] },
  { name: t.keys.expires, value: key.expires_at === null ? t.keys.never : <Time at={key.expires_at} /> },
  { name: t.keys.addresses, value: <Value text={key.ip_whitelist.join(', ')} /> },
  { name: t.keys.lastUsed, value: <Time at={key.last_used_at} /> },
  { name: t.keys.created, value: <Time at={key.created_at} /> },
  ...(key.revoked_at === null ? [] : [{ name: t.keys.revokedAt, value: <Time at={key.revoked_at} /> }]),
]
