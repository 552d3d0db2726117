import type { ReactNode } from 'react'
import { FieldError, Input, Label, Text, TextArea, TextField, type TextFieldProps } from 'react-aria-components'
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
  /** What is wrong with the text, known before it is sent. It is heard wherever the focus is. */
  problem?: string | undefined
  onEnter?: () => void
  onBlur?: () => void
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
    problem,
    onEnter,
    ...rest
  } = props
  const said = useFieldMessage(props.name)
  const message = problem ?? said
  const shared = { className: `${styles.input} ${isSecret ? styles.secret : ''}`, required: isRequired, placeholder }
  const error = <FieldError className={styles.error}>{message}</FieldError>
  return (
    <TextField
      {...rest}
      {...(onEnter === undefined ? {} : { onKeyDown: onlyOn('Enter', onEnter) })}
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
      {problem === undefined ? error : <span role="alert">{error}</span>}
    </TextField>
  )
}

/** A dialog around it still hears every key. */
const onlyOn =
  (key: string, act: () => void) =>
  (event: Parameters<NonNullable<TextFieldProps['onKeyDown']>>[0]): void => {
    if (event.key === key) act()
    event.continuePropagation()
  }
