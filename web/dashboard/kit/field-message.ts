import { createContext, use } from 'react'

/** The server's messages of a form by field. They stay until the next try: what disappears while somebody presses a button moves the button. */
export const FieldMessages = createContext<Readonly<Record<string, string>>>({})

/** The message of a field. */
export function useFieldMessage(name: string | undefined): string | undefined {
  const messages = use(FieldMessages)
  return name === undefined ? undefined : messages[name]
}
