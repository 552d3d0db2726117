import { ChevronDown } from 'lucide-react'
import { useContext, useEffect, useRef, useState } from 'react'
import {
  Button,
  ComboBox,
  ComboBoxStateContext,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from 'react-aria-components'
import field from './field.module.css'
import select from './select.module.css'
import { useFieldMessage } from './field-message.ts'
import { requiredMark } from './required-mark.ts'

export interface ComboOption {
  id: string
  label: string
  /** What tells apart options with the same label. */
  note?: string | undefined
}

export interface ComboProps {
  label: string
  /** The API's name of the field, for the messages of the server. */
  name?: string
  options: readonly ComboOption[]
  /** The text of the field when nobody types. */
  value: string
  /** Each text that is typed: for options that the server finds. */
  onType?: (text: string) => void
  /** An option was chosen. */
  onChoose: (option: ComboOption) => void
  /** Enter or leaving the field with a text that is no option. */
  onText?: (text: string) => void
  /** Enter, where leaving the field must do nothing. */
  onEnter?: (text: string) => void
  /** The field is empty again after Enter or when it is left: it takes one text after another. */
  isEmptied?: boolean | undefined
  size?: 'normal' | 'narrow' | 'wide'
  hint?: string | undefined
  /** What is wrong with the text. A form is not sent with it, unless the field is emptied. */
  problem?: string | undefined
  autoFocus?: boolean | undefined
  isRequired?: boolean | undefined
}

/** A field with options to choose from while typing. */
export function Combo(props: ComboProps) {
  const { label, name, options, value, onType, onChoose, onText, size = 'normal', hint, problem, autoFocus = false } = props
  const { onEnter = onText, isRequired = false, isEmptied = false } = props
  const [typed, setTyped] = useState(value)
  const [isEntered, setEntered] = useState(false)
  const said = useFieldMessage(name)
  const message = problem ?? said
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => setTyped(value), [value])
  useEffect(() => input.current?.setCustomValidity(isEmptied ? '' : (problem ?? '')), [isEmptied, problem])
  const type = (text: string): void => {
    setTyped(text)
    setEntered(false)
    onType?.(text)
  }
  const shown = onType === undefined ? options.filter((option) => matches(option, typed === value ? '' : typed)) : options
  return (
    <ComboBox
      className={`${field.field} ${field[size]}`}
      validationBehavior="aria"
      isInvalid={message !== undefined}
      isRequired={isRequired}
      items={shown}
      inputValue={typed}
      onInputChange={type}
      allowsCustomValue
      allowsEmptyCollection
      // A text that was chosen or set from outside must not open the list again.
      menuTrigger={typed === value ? 'manual' : 'input'}
      autoFocus={autoFocus}
      onOpenChange={(_, trigger) => {
        if (trigger === 'manual') setEntered(false)
      }}
      onChange={(key) => {
        const option = options.find(({ id }) => id === key)
        if (option !== undefined) onChoose(option)
      }}
      onBlur={() => {
        if (typed === value && (isEmptied || problem === undefined)) return
        if (isEmptied) setTyped('')
        onText?.(typed.trim())
      }}
    >
      <Label className={field.label} {...requiredMark(isRequired)}>
        {label}
      </Label>
      <span className={select.combo}>
        <Input
          ref={input}
          className={field.input}
          onKeyDown={(event) => {
            const isChoosing = event.currentTarget.getAttribute('aria-activedescendant') !== null
            if (event.key !== 'Enter' || isChoosing) return
            event.preventDefault()
            // What is typed or scanned next takes the place of this text.
            if (isEmptied) setTyped('')
            else event.currentTarget.select()
            setEntered(true)
            onEnter?.(typed.trim())
          }}
        />
        <Button className={select.open}>
          <ChevronDown size={16} aria-hidden />
        </Button>
      </span>
      {isEntered && <StaysClosed />}
      {hint !== undefined && (
        <Text slot="description" className={field.hint}>
          {hint}
        </Text>
      )}
      {/* The focus stays in the field: only an alert is heard. */}
      {message !== undefined && (
        <span {...(problem === undefined ? {} : { role: 'alert' })}>
          <FieldError className={field.error}>{message}</FieldError>
        </span>
      )}
      <Popover className={select.popover}>
        <ListBox<ComboOption> className={select.list}>
          {({ id, label: text, note }) => (
            <ListBoxItem id={id} textValue={text} className={select.item}>
              <span className={select.text}>{text}</span>
              {note !== undefined && <span className={select.note}>{note}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}

/** The Enter of a scanner comes before the list has opened for what was typed, and would leave it open. */
function StaysClosed() {
  const state = useContext(ComboBoxStateContext)
  useEffect(() => {
    if (state?.isOpen === true) state.close()
  }, [state?.isOpen])
  return null
}

function matches({ label, note = '' }: ComboOption, text: string): boolean {
  return `${label} ${note}`.toLowerCase().includes(text.trim().toLowerCase())
}
