import { MenuIcon } from 'lucide-react'
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import styles from './kit.module.css'

interface MenuItem {
  name: string
  onSelect: () => void
}

/** A button that opens a menu. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLSpanElement>(null)
  const id = useId()
  const close = (): void => {
    setOpen(false)
    button.current?.querySelector('button')?.focus()
  }
  return (
    <span ref={button} className={styles.menu}>
      <Button kind="quiet" aria-haspopup="menu" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <MenuIcon aria-hidden />
        <span className="visually-hidden">{label}</span>
      </Button>
      {isOpen && <MenuList id={id} label={label} items={items} onClose={close} />}
    </span>
  )
}

interface MenuListProps {
  id: string
  label: string
  items: readonly MenuItem[]
  onClose: () => void
}

function MenuList({ id, label, items, onClose }: MenuListProps) {
  const list = useRef<HTMLDivElement>(null)
  const buttons = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
  useLayoutEffect(() => buttons()[0]?.focus(), [])
  const move = (event: KeyboardEvent): void => {
    const all = buttons()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
    if (event.key === 'Escape' || event.key === 'Tab') onClose()
    else if (to !== undefined) all.at(to % all.length)?.focus()
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={list}
      id={id}
      role="menu"
      tabIndex={-1}
      aria-label={label}
      className={styles.items}
      onKeyDown={move}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget !== null && !currentTarget.parentElement?.contains(relatedTarget)) onClose()
      }}
    >
      {items.map(({ name, onSelect }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          className={styles.item}
          onClick={() => {
            onClose()
            onSelect()
          }}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
