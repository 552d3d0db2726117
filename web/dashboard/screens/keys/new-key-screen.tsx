import type { ApiKey, ApiKeysCreateParams, CreatedApiKey } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { curlOf } from '../../../shared/curl.ts'
import { t } from '../../../shared/texts/texts.ts'
import { usePublicOrigin } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { useWrite } from '../../data/use-write.ts'
import { Field } from '../../kit/field.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { SecretDialog } from '../../kit/secret-dialog.tsx'
import { KeyInput, paramsOf, typedLike } from './key-input.tsx'

/** Creates a key, from nothing or like another one. */
export function NewKeyScreen() {
  const { like } = useSearch({ from: '/frame/keys/new' })
  const query = useRead(['apiKey', like], (api, options) => api.apiKeys.get(Number(like), options), {
    enabled: like !== undefined,
  })
  return (
    <Screen title={t.keys.new} hasCurl={false}>
      {like === undefined ? <NewKeyForm /> : <Region query={query}>{(key) => <NewKeyForm like={key} />}</Region>}
    </Screen>
  )
}

function NewKeyForm({ like }: { like?: ApiKey }) {
  const [typed, setTyped] = useState(() => typedLike(like))
  const params = paramsOf(typed)
  const navigate = useNavigate()
  const write = useWrite({
    write: (api, input: ApiKeysCreateParams, options) => api.apiKeys.create(input, options),
    secret: (created, _, isHere) => (close) => (
      <KeyShown
        created={created}
        onStored={() => {
          close()
          if (isHere()) void navigate({ to: '/keys', ignoreBlocker: true })
        }}
      />
    ),
  })
  return (
    <Form
      {...write}
      label={t.keys.new}
      typed={params}
      fields={FIELDS}
      buttons={
        <FormButtons submit={t.keys.create} scope="admin" isSaving={write.isSaving} call={(api) => api.apiKeys.create(params)} />
      }
      onSubmit={() => void write.send(params)}
    >
      <KeyInput typed={typed} onChange={(changed) => setTyped((before) => ({ ...before, ...changed }))} />
    </Form>
  )
}

/** Each address that the server refuses is told at the one field of addresses. */
const FIELDS = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`ip_whitelist[${index}]`, 'ip_whitelist']))

function KeyShown({ created, onStored }: { created: CreatedApiKey; onStored: () => void }) {
  const origin = usePublicOrigin()
  const curl = curlOf({ method: 'GET', url: `${origin}/api/v1/orders?limit=1` })
  return (
    <SecretDialog
      title={t.keys.shown}
      label={t.signIn.key}
      copy={t.keys.copy}
      copied={t.keys.copied}
      value={created.key}
      onStored={onStored}
    >
      <Field label={t.keys.tryIt} value={curl} isReadOnly isMultiline size="wide" />
    </SecretDialog>
  )
}
