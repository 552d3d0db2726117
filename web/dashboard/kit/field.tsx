import type { ReactNode } from 'react'
import { FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components'
import styles from './field.module.css'
import { useFieldMessage } from './field-message.ts'
import { numberInput } from './number-input.ts'
import { requiredMark } from './required-mark.ts'

export interface FieldProps {
  label: string
  /** The API's name of the field: the server's message for it is shown here. */
  name?: string
  value?: string
  defaultValue?: string
  onChange?: (value: string) => void
  type?: 'text' | 'search' | 'number' | 'date' | 'datetime-local' | 'password' | 'url' | 'email'
  isRequired?: boolean
  isReadOnly?: boolean
  isMultiline?: boolean
  maxLength?: number
  hint?: ReactNode
  /** A word beside the label that belongs to the description, such as a unit. */
  mark?: string | undefined
  size?: 'narrow' | 'normal' | 'wide'
  autoFocus?: boolean
  autoComplete?: string
  inputMode?: 'decimal' | 'numeric' | 'text'
  isLabelHidden?: boolean
  /** Says what the field is for where its label is hidden. */
  placeholder?: string
  /** Shown as dots: a key pasted beside a colleague. */
  isSecret?: boolean
}

/** A field with its label, and the server's message beside it. */
export function Field(props: FieldProps) {
  const {
    label,
    hint,
    mark,
    isMultiline = false,
    size = 'normal',
    isRequired = false,
    isLabelHidden = false,
    isSecret = false,
    type = 'text',
    placeholder,
    ...rest
  } = props
  const message = useFieldMessage(props.name)
  const shared = { className: `${styles.input} ${isSecret ? styles.secret : ''}`, required: isRequired, placeholder }
  return (
    <TextField
      {...rest}
      isInvalid={message !== undefined}
      isRequired={isRequired}
      type={type === 'number' ? 'text' : type}
      validationBehavior="aria"
      className={`${styles.field} ${styles[size]}`}
    >
      <span className={isLabelHidden ? 'visually-hidden' : styles.head}>
        <Label className={styles.label} {...requiredMark(isRequired && !isLabelHidden)}>
          {label}
        </Label>
        {mark !== undefined && (
          <Text slot="description" className={styles.hint}>
            {mark}
          </Text>
        )}
      </span>
      {isMultiline ? (
        <TextArea {...shared} rows={3} />
      ) : (
        <Input {...shared} {...(type === 'number' ? numberInput(props.value, props.onChange) : {})} />
      )}
      {hint !== undefined && (
        <Text slot="description" className={styles.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error}>{message}</FieldError>
    </TextField>
  )
}
