import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Combo } from './combo.tsx'

const KEYS = 100

/** The hundred newest keys. */
function useKeys() {
  const { data } = useRead(['apiKeys', 'combo'], (api, options) => api.apiKeys.list({ limit: KEYS }, options))
  return data?.api_keys ?? []
}

/** The name of a key by its id; of an older one "API key 17". */
export function useKeyName(): (id: number) => string {
  const keys = useKeys()
  return (id) => keys.find((key) => key.id === id)?.name ?? t.keys.one(String(id))
}

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

/** A choice of an API key. The hundred newest are offered; any id can be typed. */
export function KeyCombo({ keyId, onKey, hasCommandLine = false, ...rest }: Props) {
  const keys = useKeys()
  const options = [
    ...keys.map(({ id, name, prefix }) => ({ id: String(id), label: name, note: prefix })),
    ...(hasCommandLine ? [COMMAND_LINE] : []),
  ]
  const chosen = keyId === undefined ? '' : String(keyId)
  const choose = (typed: string): void => {
    const id = options.find(({ label }) => label === typed)?.id ?? typed
    if (typed === '' || /^\d{1,15}$/.test(id)) onKey(typed === '' ? undefined : Number(id))
  }
  return (
    <Combo
      {...rest}
      label={t.audit.key}
      value={options.find(({ id }) => id === chosen)?.label ?? chosen}
      options={options}
      size={rest.name === undefined ? 'narrow' : 'normal'}
      onChoose={({ id }) => onKey(Number(id))}
      onText={choose}
    />
  )
}
