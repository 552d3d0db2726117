import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { createStore, useStore } from '../data/store.ts'
import { Combo } from '../kit/combo.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { readErrorText } from '../kit/read-error-text.ts'
import { useFound } from './use-found.ts'

/** Whether the search is open. */
export const searchOpen = createStore(false)

const close = (): void => searchOpen.set(() => false)

/** Search over orders, products, screens and actions. Enter opens, Esc closes. */
export function SearchDialog() {
  const isOpen = useStore(searchOpen)
  return (
    <Dialog title={t.search.title} isOpen={isOpen} onClose={close} isTitleHidden>
      <SearchField />
    </Dialog>
  )
}

function SearchField() {
  const [typed, setTyped] = useState('')
  const [isEntered, setEntered] = useState(false)
  const text = typed.trim()
  const { found, isCurrent, error, retry } = useFound(text)
  const [failed, setFailed] = useState<string>()
  const navigate = useNavigate()
  const open = (path: string): void => {
    close()
    void navigate({ to: path })
  }
  // Enter may come before what it is to open, most of all from a scanner.
  useEffect(() => {
    if (!isEntered || (!isCurrent && error === undefined)) return
    setEntered(false)
    const [first] = isCurrent ? found : []
    if (first !== undefined) open(first.path)
    else setFailed(text)
  })
  const isNothing = isCurrent && found.length === 0
  const message = error === undefined ? (isNothing ? t.search.nothing(text) : undefined) : readErrorText(error)
  const onKeyDownCapture = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    close()
  }
  return (
    <div onKeyDownCapture={onKeyDownCapture}>
      <Combo
        label={t.search.label}
        value=""
        size="wide"
        autoFocus
        hint={failed === text ? undefined : message}
        problem={failed === text ? message : undefined}
        options={found.map(({ path, label, note }) => ({ id: path, label, note }))}
        onType={(text) => {
          setTyped(text)
          setEntered(false)
          setFailed(undefined)
        }}
        onChoose={({ id }) => open(id)}
        onEnter={(text) => {
          setEntered(text !== '')
          retry()
        }}
      />
    </div>
  )
}
