import { use, useEffect, useState } from 'react'
import { isMissing } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/texts.ts'
import { client } from '../data/client.ts'
import { useScope } from '../data/session.tsx'
import { untilSignedIn } from '../data/use-read.ts'
import { Agreement } from './choices.tsx'
import { Field } from './field.tsx'
import { readErrorText } from './read-error-text.ts'
import { useDelayed } from './use-delayed.ts'
import { LookupsContext } from './use-readable.ts'

/** After so long without a key, what is typed is looked up although the focus is still in the field. */
const PAUSE_MS = 1_000
/** No form waits longer. */
const TIMEOUT_MS = 5_000

interface LocationFieldProps {
  label: string
  name: string
  /** The id that is sent. */
  value: string
  onChange: (id: string) => void
  autoFocus?: boolean
  /** The id that needs no lookup, where it is not the one that the field begins with. */
  known?: string
  /** Whether the form's write creates a location that does not exist. The person has to agree to that. */
  canCreate?: boolean
}

/** What a lookup found: the location's id, that there is none, or why that is not known. */
type Answer = { id: string } | { isMissing: true } | { failure: string }

/**
 * A field for a location by its id or code. The API creates locations on first use, so a mistyped one would be created. What is typed is looked
 * up when the field is left, and the form waits for that.
 */
export function LocationField(props: LocationFieldProps) {
  const { label, name, value, onChange, autoFocus = false, canCreate = false } = props
  const [known] = useState(props.known ?? value)
  const [typed, setTyped] = useState(value)
  const [isLeft, setLeft] = useState(false)
  const [answer, setAnswer] = useState<Answer>()
  const [agreed, setAgreed] = useState<string>()
  const text = typed.trim()
  const isPending = text !== '' && text !== known && answer === undefined
  useLookup(text, isPending, isLeft, (found) => {
    setAnswer(found)
    if ('id' in found) onChange(found.id)
  })
  const isSlow = useDelayed(isPending && isLeft) && isPending
  const problem = problemOf(text, answer, canCreate)
  const isAgreed = agreed === text
  return (
    <>
      <Field
        label={label}
        name={name}
        isRequired
        maxLength={64}
        autoFocus={autoFocus}
        value={typed}
        problem={isAgreed ? undefined : problem}
        hint={isSlow ? t.products.lookingUp(text) : isAgreed ? problem : idHint(text, answer)}
        onChange={(changed) => {
          setTyped(changed)
          setLeft(false)
          setAnswer(undefined)
          onChange(changed.trim())
        }}
        onBlur={() => setLeft(true)}
        onEnter={() => {
          setLeft(true)
          if (answer !== undefined && 'failure' in answer) setAnswer(undefined)
        }}
      />
      {canCreate && answer !== undefined && !('id' in answer) && (
        <Agreement
          label={'failure' in answer ? t.locations.goOnWith(text) : t.locations.create(text)}
          name={`agreement to ${name}`}
          message={'failure' in answer ? t.locations.mustAgreeUnchecked : t.locations.mustAgree}
          isAgreed={isAgreed}
          onAgree={(isGiven) => setAgreed(isGiven ? text : undefined)}
        />
      )}
    </>
  )
}

/** Looks up a text as long as it is pending, and keeps its form waiting. */
function useLookup(text: string, isPending: boolean, isLeft: boolean, onAnswer: (answer: Answer) => void): void {
  const lookups = use(LookupsContext)
  const canRead = [useScope('read:products'), useScope('read:stock')]
  const lacking = (['read:products', 'read:stock'] as const).find((_, index) => canRead[index] === false)
  useEffect(() => {
    if (!isPending) return undefined
    lookups?.begin()
    return () => lookups?.end(true)
  }, [isPending, lookups])
  useEffect(() => {
    if (!isPending) return undefined
    const controller = new AbortController()
    const lookUp = async (): Promise<void> => {
      const answer = lacking === undefined ? await find(text, controller.signal) : { failure: t.session.lacks(lacking) }
      if (!controller.signal.aborted) onAnswer(answer)
    }
    const timer = setTimeout(() => void lookUp(), isLeft ? 0 : PAUSE_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
    // `onAnswer` is another function at each drawing, and does the same.
  }, [text, isPending, isLeft, lacking])
}

async function find(code: string, signal: AbortSignal): Promise<Answer> {
  const options = { signal, timeoutMs: TIMEOUT_MS }
  try {
    const { location } = await untilSignedIn(() => Promise.resolve(client.barcodes.scan({ code }, options)), signal)
    return location === null ? { isMissing: true } : { id: location.id }
  } catch (error) {
    if (isMissing(error)) return { isMissing: true }
    return { failure: readErrorText(error as Error) }
  }
}

function problemOf(text: string, answer: Answer | undefined, canCreate: boolean): string | undefined {
  if (answer === undefined || 'id' in answer) return undefined
  if ('isMissing' in answer) return t.locations.unknown(text)
  // Where nothing is created, the server's refusal is early enough.
  return canCreate ? t.locations.unchecked(text, answer.failure) : undefined
}

const idHint = (text: string, answer: Answer | undefined): string | undefined =>
  answer !== undefined && 'id' in answer && answer.id !== text ? t.locations.idIs(answer.id) : undefined
