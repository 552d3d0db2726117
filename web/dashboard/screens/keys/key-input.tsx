import type { ApiKey, ApiKeysCreateParams } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { MODE } from '../../data/client.ts'
import { type Scope, SCOPES } from '../../data/scopes.ts'
import { useSession } from '../../data/session.tsx'
import { useRead } from '../../data/use-read.ts'
import { Button } from '../../kit/button.tsx'
import { CheckboxGroup, RadioGroup } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import form from '../../kit/form.module.css'
import { Select } from '../../kit/select.tsx'
import { type Expiry, EXPIRIES, expiryDate, expiryDayOf, PRESETS, presetOf } from './key-choices.ts'

/** What is typed for a new key. */
interface TypedKey {
  name: string
  scopes: Scope[]
  expiry: Expiry
  /** The day on which it expires, for the expiry `date`. */
  date: string
  /** One a line. */
  addresses: string
  mode: 'live' | 'test'
}

/** What a form begins with: the choices of another key, or the fewest rights. */
export const typedLike = (like: ApiKey | undefined): TypedKey => ({
  name: like?.name ?? '',
  scopes: like?.scopes ?? [...PRESETS.read_only],
  expiry: typeof like?.expires_at === 'string' ? 'date' : 'none',
  date: expiryDayOf(like?.expires_at),
  addresses: like?.ip_whitelist.join('\n') ?? '',
  mode: like?.mode ?? MODE,
})

/** As the API takes it. */
export function paramsOf({ name, scopes, expiry, date, addresses, mode }: TypedKey): ApiKeysCreateParams {
  const preset = presetOf(scopes)
  const list = addressesOf(addresses)
  return {
    name,
    ...(preset === 'custom' ? { scopes } : { preset }),
    ...(expiry === 'none' ? {} : { expires_at: expiryDate(expiry, date) }),
    ...(list.length === 0 ? {} : { ip_whitelist: list }),
    mode,
  }
}

const addressesOf = (text: string): string[] => text.split(/[\s,]+/).filter((address) => address !== '')

interface KeyInputProps {
  typed: TypedKey
  onChange: (changed: Partial<TypedKey>) => void
}

/** The fields of a new key. */
export function KeyInput({ typed, onChange }: KeyInputProps) {
  const { modes } = useSession()
  return (
    <>
      <Field
        label={t.keys.name}
        name="name"
        value={typed.name}
        onChange={(name) => onChange({ name })}
        isRequired
        maxLength={255}
      />
      <ScopesInput typed={typed} onChange={onChange} />
      <ExpiryInput typed={typed} onChange={onChange} />
      <AddressesInput typed={typed} onChange={onChange} />
      <RadioGroup
        label={t.keys.mode}
        name="mode"
        options={(['live', 'test'] as const)
          .filter((mode) => mode === 'test' || modes.includes('live'))
          .map((value) => ({ value, label: t.frame.modes[value] }))}
        value={typed.mode}
        onChange={(mode) => onChange({ mode })}
      />
    </>
  )
}

/** A preset chooses its scopes; any other choice of scopes is the preset `custom`. */
function ScopesInput({ typed: { scopes }, onChange }: KeyInputProps) {
  return (
    <>
      <RadioGroup
        label={t.keys.preset}
        options={Object.entries(t.keys.presets).map(([value, label]) => ({ value, label }))}
        value={presetOf(scopes)}
        onChange={(chosen) => onChange({ scopes: chosen in PRESETS ? [...PRESETS[chosen as keyof typeof PRESETS]] : [] })}
      />
      <CheckboxGroup
        label={t.keys.scopes}
        name="scopes"
        isRequired
        options={SCOPES.map((scope) => ({ value: scope, label: scope }))}
        value={scopes}
        onChange={(chosen) => onChange({ scopes: SCOPES.filter((scope) => chosen.includes(scope)) })}
      />
    </>
  )
}

function ExpiryInput({ typed: { expiry, date }, onChange }: KeyInputProps) {
  return (
    <div className={form.row}>
      <Select
        label={t.keys.expires}
        name={expiry === 'date' ? '' : 'expires_at'}
        options={EXPIRIES.map((value) => ({ value, label: t.keys.expiries[value] }))}
        value={expiry}
        onChange={(chosen) => onChange({ expiry: chosen })}
      />
      {expiry === 'date' && (
        <Field
          label={t.keys.expiryDate}
          name="expires_at"
          isRequired
          type="date"
          size="narrow"
          mark={t.filters.utc}
          value={date}
          onChange={(day) => onChange({ date: day })}
        />
      )}
    </div>
  )
}

/** The addresses that may use the key, and a button that adds the person's own. */
function AddressesInput({ typed: { addresses }, onChange }: KeyInputProps) {
  const mine = useMyAddress()
  const list = addressesOf(addresses)
  return (
    <>
      <Field
        label={t.keys.addresses}
        name="ip_whitelist"
        isMultiline
        hint={t.keys.addressesHint}
        value={addresses}
        onChange={(text) => onChange({ addresses: text })}
      />
      {mine !== undefined && !list.includes(mine) && (
        <div className={form.row}>
          <Button onPress={() => onChange({ addresses: [...list, mine].join('\n') })}>{t.keys.addMine(mine)}</Button>
        </div>
      )}
    </>
  )
}

/** The address from which this session was started. */
function useMyAddress(): string | undefined {
  const { id } = useSession()
  const { data } = useRead(['sessions'], (api, options) => api.sessions.list(options))
  return data?.sessions.find((session) => session.id === id)?.address
}
