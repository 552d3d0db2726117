import { createContext, type FormEvent, useEffect, useRef, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { isNoNumber } from './number-input.ts'

/** A form waits for what is being looked up for one of its fields. */
export interface Lookups {
  begin(): void
  end(isFound: boolean): void
}

export const LookupsContext = createContext<Lookups | undefined>(undefined)

/**
 * Sends a form unless a field holds what is no number, or what the browser cannot read, such as half a date: the value of that field is empty, and
 * would be sent as if it were. What is still looked up is waited for; if something was not found, nothing is sent. Returns the message of the
 * field that cannot be read, and what submits the form.
 */
export function useReadable(onSubmit: () => void) {
  const [messages, setMessages] = useState<Record<string, string>>({})
  const [running, setRunning] = useState(0)
  const [isDue, setDue] = useState(false)
  const isMissing = useRef(false)
  // After what was found is drawn: `onSubmit` sends it.
  useEffect(() => {
    if (!isDue || running > 0) return
    setDue(false)
    if (!isMissing.current) onSubmit()
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const unread = [...event.currentTarget.elements].find(isUnread)
    setMessages(unread === undefined ? {} : { [unread.name]: isNoNumber(unread) ? t.states.noNumber : t.states.unreadable })
    if (unread !== undefined) return unread.focus()
    isMissing.current = false
    if (running === 0) onSubmit()
    else setDue(true)
  }
  const [lookups] = useState<Lookups>(() => ({
    begin: () => setRunning((before) => before + 1),
    end: (isFound) => {
      setRunning((before) => before - 1)
      if (!isFound) isMissing.current = true
    },
  }))
  return { messages, submit, lookups }
}

const isUnread = (field: Element): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.validity.badInput || isNoNumber(field))
