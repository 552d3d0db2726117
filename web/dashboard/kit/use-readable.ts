import { type FormEvent, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { isNoNumber } from './number-input.ts'

/**
 * Sends a form unless a field holds what is no number, or what the browser cannot read, such as half a date: the value of that field is empty, and
 * would be sent as if it were. Returns the message of that field, and what submits the form.
 */
export function useReadable(onSubmit: () => void) {
  const [messages, setMessages] = useState<Record<string, string>>({})
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const unread = [...event.currentTarget.elements].find(isUnread)
    setMessages(unread === undefined ? {} : { [unread.name]: isNoNumber(unread) ? t.states.noNumber : t.states.unreadable })
    if (unread === undefined) onSubmit()
    else unread.focus()
  }
  return { messages, submit }
}

const isUnread = (field: Element): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.validity.badInput || isNoNumber(field))
