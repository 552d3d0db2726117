import { createContext, type FormEvent, useEffect, useState } from 'react'
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
 * would be sent as if it were. Nor is it sent while a field refuses it with a message of its own (`setCustomValidity`). Returns the message of that
 * field, and what submits the form. What is still looked up is waited for: then the form is submitted anew, with all that was typed and found until
 * then; if something was not found, it is not.
 */
export function useReadable(onSubmit: () => void) {
  const [messages, setMessages] = useState<Record<string, string>>({})
  const [running, setRunning] = useState(0)
  const [waiting, setWaiting] = useState<HTMLFormElement>()
  useEffect(() => {
    if (running === 0) waiting?.requestSubmit()
  }, [running, waiting])
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const unread = [...event.currentTarget.elements].find(isUnread)
    setMessages(unread === undefined ? {} : { [unread.name]: messageOf(unread) })
    setWaiting(unread === undefined && running > 0 ? event.currentTarget : undefined)
    if (unread !== undefined) unread.focus()
    else if (running === 0) onSubmit()
  }
  const [lookups] = useState<Lookups>(() => ({
    begin: () => setRunning((before) => before + 1),
    end: (isFound) => {
      setRunning((before) => before - 1)
      if (!isFound) setWaiting(undefined)
    },
  }))
  return { messages, submit, lookups }
}

/** Which field of a form cannot be read, and why. */
export function unreadIn(form: HTMLFormElement): string | undefined {
  const field = [...form.elements].find(isUnreadable)
  if (field === undefined) return undefined
  return t.copy.unread(field.labels?.[0]?.textContent ?? '', messageOf(field))
}

const isUnread = (field: Element): field is HTMLInputElement =>
  isUnreadable(field) || (field instanceof HTMLInputElement && field.validity.customError)

const isUnreadable = (field: Element): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.validity.badInput || isNoNumber(field))

function messageOf(field: HTMLInputElement): string {
  if (field.validity.customError) return field.validationMessage
  return isNoNumber(field) ? t.states.noNumber : t.states.unreadable
}
