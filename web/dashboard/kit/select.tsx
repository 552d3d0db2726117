import { Check, ChevronDown } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import {
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
} from 'react-aria-components'
import type { Option } from './choices.tsx'
import button from './button.module.css'
import field from './field.module.css'
import styles from './select.module.css'
import { useFieldMessage } from './field-message.ts'

export interface SelectProps<Value extends string> {
  label: string
  name?: string
  options: readonly Option<Value>[]
  value: Value
  onChange: (value: Value) => void
  isLabelHidden?: boolean
  /** Stands for the value where there is no room for it. */
  icon?: ReactNode
}

/** A choice from a list. Its button has the label as its name; the chosen value, drawn above the button, describes it. */
export function Select<Value extends string>({
  label,
  name,
  options,
  value,
  onChange,
  isLabelHidden = false,
  icon,
}: SelectProps<Value>) {
  const labelId = useId()
  const valueId = useId()
  const message = useFieldMessage(name)
  return (
    <AriaSelect
      className={field.field ?? ''}
      validationBehavior="aria"
      isInvalid={message !== undefined}
      value={value}
      onChange={(key) => onChange(key as Value)}
      {...(name === undefined ? {} : { name })}
    >
      <Label id={labelId} className={isLabelHidden ? 'visually-hidden' : field.label}>
        {label}
      </Label>
      <span className={icon === undefined ? styles.box : ''}>
        <Button
          className={icon === undefined ? styles.button : `${button.button} ${button.quiet}`}
          aria-labelledby={labelId}
          aria-describedby={valueId}
        >
          {icon ?? <ChevronDown size={16} aria-hidden />}
        </Button>
        <SelectValue id={valueId} className={icon === undefined ? styles.value : 'visually-hidden'} aria-hidden>
          {({ selectedText }) => selectedText}
        </SelectValue>
      </span>
      <FieldError className={field.error}>{message}</FieldError>
      <Popover className={styles.popover}>
        <ListBox className={styles.list} aria-labelledby={labelId} items={options}>
          {(option) => (
            <ListBoxItem id={option.value} textValue={option.label} className={styles.item}>
              <Check size={14} aria-hidden className={styles.tick} />
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}
