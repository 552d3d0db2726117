import { useState } from 'react'

/** The texts of a form by the API's names of the fields, and what binds a field to its text. */
export function useTyped<Fields extends Record<string, string>>(initial: Fields | (() => Fields)) {
  const [typed, setTyped] = useState(initial)
  const bind = (name: keyof Fields & string) => ({
    name,
    value: typed[name] ?? '',
    onChange: (value: string) => setTyped((before) => ({ ...before, [name]: value })),
  })
  return [typed, bind] as const
}

/** What binds a field of such a form. */
export type Bind<Name extends string> = (name: Name) => { name: string; value: string; onChange: (value: string) => void }
