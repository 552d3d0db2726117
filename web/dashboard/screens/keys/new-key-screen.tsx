import type { ApiKey, ApiKeysCreateParams, CreatedApiKey } from '@fulfillment/sdk'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { curlOf } from '../../../shared/curl.ts'
import { t } from '../../../shared/texts/texts.ts'
import { MODE } from '../../data/client.ts'
import { type Scope, SCOPES } from '../../data/scopes.ts'
import { usePublicOrigin, useSession } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { useWrite } from '../../data/use-write.ts'
import { Button } from '../../kit/button.tsx'
import { CheckboxGroup, RadioGroup } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import form from '../../kit/form.module.css'
import { Region } from '../../kit/region.tsx'
import { Screen } from '../../kit/screen.tsx'
import { SecretDialog } from '../../kit/secret-dialog.tsx'
import { Select } from '../../kit/select.tsx'
import { type Expiry, EXPIRIES, expiryDate, expiryDayOf, PRESETS, presetOf } from './key-choices.ts'

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
  const input = useKeyInput(like)
  const [created, setCreated] = useState<CreatedApiKey>()
  const navigate = useNavigate()
  const write = useWrite({
    write: (api, params: ApiKeysCreateParams, options) => api.apiKeys.create(params, options),
    onDone: setCreated,
  })
  return (
    <>
      <Form
        {...write}
        label={t.keys.new}
        typed={input.params}
        fields={FIELDS}
        buttons={
          <FormButtons
            submit={t.keys.create}
            scope="admin"
            isSaving={write.isSaving}
            call={(api) => api.apiKeys.create(input.params)}
          />
        }
        onSubmit={() => void write.send(input.params)}
      >
        {input.fields}
      </Form>
      {created !== undefined && (
        <KeyShown created={created} onStored={() => void navigate({ to: '/keys', ignoreBlocker: true })} />
      )}
    </>
  )
}

const FIELDS = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`ip_whitelist[${index}]`, 'ip_whitelist']))

function useKeyInput(like: ApiKey | undefined) {
  const session = useSession()
  const [name, setName] = useState(like?.name ?? '')
  const [scopes, setScopes] = useState<Scope[]>(like?.scopes ?? [...PRESETS.read_only])
  const [expiry, setExpiry] = useState<Expiry>(typeof like?.expires_at === 'string' ? 'date' : 'none')
  const [date, setDate] = useState(expiryDayOf(like?.expires_at))
  const [addresses, setAddresses] = useState(like?.ip_whitelist.join('\n') ?? '')
  const [mode, setMode] = useState<'live' | 'test'>(like?.mode ?? MODE)
  const mine = useMyAddress()
  const preset = presetOf(scopes)
  const list = addresses.split(/[\s,]+/).filter((address) => address !== '')
  const params: ApiKeysCreateParams = {
    name,
    ...(preset === 'custom' ? { scopes } : { preset }),
    ...(expiry === 'none' ? {} : { expires_at: expiryDate(expiry, date) }),
    ...(list.length === 0 ? {} : { ip_whitelist: list }),
    mode,
  }
  const modes = (['live', 'test'] as const).filter((each) => each === 'test' || session.modes.includes('live'))
  const fields = (
    <>
      <Field label={t.keys.name} name="name" value={name} onChange={setName} isRequired maxLength={255} />
      <RadioGroup
        label={t.keys.preset}
        options={Object.entries(t.keys.presets).map(([value, label]) => ({ value, label }))}
        value={preset}
        onChange={(chosen) => setScopes(chosen in PRESETS ? [...PRESETS[chosen as keyof typeof PRESETS]] : [])}
      />
      <CheckboxGroup
        label={t.keys.scopes}
        name="scopes"
        isRequired
        options={SCOPES.map((scope) => ({ value: scope, label: scope }))}
        value={scopes}
        onChange={(chosen) => setScopes(SCOPES.filter((scope) => chosen.includes(scope)))}
      />
      <div className={form.row}>
        <Select
          label={t.keys.expires}
          name={expiry === 'date' ? '' : 'expires_at'}
          options={EXPIRIES.map((value) => ({ value, label: t.keys.expiries[value] }))}
          value={expiry}
          onChange={setExpiry}
        />
        {expiry === 'date' && (
          <Field
            label={t.keys.expiryDate}
            name="expires_at"
            isRequired
            type="date"
            size="narrow"
            value={date}
            onChange={setDate}
          />
        )}
      </div>
      <Field
        label={t.keys.addresses}
        name="ip_whitelist"
        isMultiline
        hint={t.keys.addressesHint}
        value={addresses}
        onChange={setAddresses}
      />
      {mine !== undefined && !list.includes(mine) && (
        <div className={form.row}>
          <Button onPress={() => setAddresses([...list, mine].join('\n'))}>{t.keys.addMine(mine)}</Button>
        </div>
      )}
      <RadioGroup
        label={t.keys.mode}
        name="mode"
        options={modes.map((value) => ({ value, label: t.frame.modes[value] }))}
        value={mode}
        onChange={setMode}
      />
    </>
  )
  return { params, fields }
}

/** The address from which this session was started. */
function useMyAddress(): string | undefined {
  const { id } = useSession()
  const { data } = useRead(['sessions'], (api, options) => api.sessions.list(options))
  return data?.sessions.find((session) => session.id === id)?.address
}

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
