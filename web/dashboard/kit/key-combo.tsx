import { useEffect, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Combo, type ComboOption } from './combo.tsx'

const KEYS = 100

/** The hundred newest keys. */
function useKeys() {
  const { data } = useRead(['apiKeys', 'combo'], (api, options) => api.apiKeys.list({ limit: KEYS }, options))
  return data?.api_keys ?? []
}

type Keys = ReturnType<typeof useKeys>

/** The name of one of these keys, with its prefix where several have the name. */
function nameIn(keys: Keys, { id, name, prefix }: Keys[number]): string {
  const isOnlyOne = keys.every((other) => other.id === id || other.name !== name)
  return isOnlyOne ? name : t.keys.named(name, prefix)
}

/** The name of a key by its id, with its prefix where several have the name; of an older one "API key 17". */
export function useKeyName(): (id: number) => string {
  const keys = useKeys()
  return (id) => {
    const key = keys.find((each) => each.id === id)
    return key === undefined ? t.keys.one(String(id)) : nameIn(keys, key)
  }
}

/** The prefix is beside the name, unless it is in it. */
const optionOf = ({ id, name, prefix }: Keys[number], label: string): ComboOption => ({
  id: String(id),
  label,
  note: label === name ? prefix : undefined,
})

/** Entries of the command line have the key id 0. */
const COMMAND_LINE = { id: '0', label: t.audit.commandLine }

interface Props {
  /** The API's name of the field, in a form. */
  name?: string
  hint?: string
  keyId: number | undefined
  onKey: (keyId: number | undefined) => void
  hasCommandLine?: boolean
}

/** A choice of an API key. The hundred newest are offered; any id can be typed. A name that none or several of them have chooses none. */
export function KeyCombo({ keyId, onKey, hasCommandLine = false, ...rest }: Props) {
  const keys = useKeys()
  const options = [...keys.map((key) => optionOf(key, nameIn(keys, key))), ...(hasCommandLine ? [COMMAND_LINE] : [])]
  const [unclear, setUnclear] = useState<string>()
  const chosen = keyId === undefined ? '' : String(keyId)
  const value = options.find(({ id }) => id === chosen)?.label ?? chosen
  useEffect(() => setUnclear(undefined), [value])
  const choose = (id: string): void => {
    setUnclear(undefined)
    onKey(id === '' ? undefined : Number(id))
  }
  const chooseTyped = (typed: string): void => {
    const [named, ...others] = options.filter(({ label }) => label === typed)
    const id = named === undefined || others.length > 0 ? typed : named.id
    if (typed === value) setUnclear(undefined)
    else if (typed === '' || /^\d{1,15}$/.test(id)) choose(id)
    else setUnclear(typed)
  }
  return (
    <Combo
      {...rest}
      label={t.audit.key}
      value={value}
      options={options}
      size={rest.name === undefined ? 'narrow' : 'normal'}
      problem={unclear && t.keys.unclear(unclear)}
      onChoose={({ id }) => choose(id)}
      onText={chooseTyped}
    />
  )
}
