import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { createStore } from '../data/store.ts'
import { useScreens } from '../frame/use-screens.ts'
import { requestsOpen } from '../requests/requests-dialog.tsx'
import { searchOpen } from '../search/search-dialog.tsx'
import { areSingleKeysOn } from './single-keys.ts'

/** Whether the list of keys is open. */
export const shortcutsOpen = createStore(false)

const SEQUENCE_MS = 1_500

/** The keys of every screen: Ctrl-K or Cmd-K; `/`, backquote, `?`, and `g` with the key of a screen. */
export function useShortcuts(): void {
  const navigate = useNavigate()
  const screens = useScreens()
  const lastG = useRef(-Infinity)
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') return act(event, () => searchOpen.set(() => true))
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || !areSingleKeysOn.get() || isTaken(event)) return
      const isAfterG = event.timeStamp - lastG.current < SEQUENCE_MS
      lastG.current = event.key === 'g' ? event.timeStamp : -Infinity
      const screen = isAfterG ? screens.find(({ key }) => key === event.key) : undefined
      if (screen !== undefined) return act(event, () => void navigate({ to: screen.path }))
      const action = ACTIONS[event.key]
      if (action !== undefined) act(event, action)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [navigate, screens])
}

const FIRST_FILTER = '[data-filters] :is(input, button)'

const ACTIONS: Record<string, () => void> = {
  '/': () => document.querySelector<HTMLElement>(FIRST_FILTER)?.focus(),
  '`': () => requestsOpen.set((isOpen) => !isOpen),
  '?': () => shortcutsOpen.set(() => true),
}

function act(event: KeyboardEvent, action: () => void): void {
  event.preventDefault()
  action()
}

/** Whether the key belongs to what has the focus: a field, a list that letters choose from, or a dialog over the screen. */
function isTaken({ key, target }: KeyboardEvent): boolean {
  const isClosing = key === '`' && requestsOpen.get()
  if (document.querySelector('[role=dialog], [role=alertdialog], dialog[open]') !== null && !isClosing) return true
  if (!(target instanceof HTMLElement)) return false
  const isField =
    target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && !/^(checkbox|radio)$/.test(target.type))
  return isField || target.isContentEditable || target.closest('[role=listbox], [role=menu], [aria-haspopup=listbox]') !== null
}
