import { Check } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import {
  Checkbox as AriaCheckbox,
  CheckboxGroup as AriaCheckboxGroup,
  FieldError,
  Label,
  Radio,
  RadioGroup as AriaRadioGroup,
} from 'react-aria-components'
import styles from './field.module.css'
import { useFieldMessage } from './field-message.ts'
import { requiredMark } from './required-mark.ts'
import segments from './segments.module.css'

export interface Option<Value extends string = string> {
  value: Value
  label: string
  /** Why it cannot be chosen; undefined when it can. */
  reason?: string | undefined
}

export interface CheckboxProps {
  label: string
  isSelected?: boolean
  onChange?: (isSelected: boolean) => void
  value?: string
  name?: string
  isDisabled?: boolean
}

export function Checkbox({ label, ...rest }: CheckboxProps) {
  return (
    <AriaCheckbox {...rest} className={styles.choice}>
      <span className={styles.box}>
        <Check size={14} strokeWidth={3} aria-hidden />
      </span>
      {label}
    </AriaCheckbox>
  )
}

interface AgreementProps {
  label: string
  /** A name of its own within the form. */
  name: string
  /** What the form says when it is submitted without. */
  message: string
  isAgreed: boolean
  onAgree: (isAgreed: boolean) => void
}

/** A checkbox without which its form is not sent. */
export function Agreement({ label, name, message, isAgreed, onAgree }: AgreementProps) {
  const said = useFieldMessage(name)
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.setCustomValidity(isAgreed ? '' : message), [isAgreed, message])
  const isMissing = said !== undefined && !isAgreed
  return (
    <div className={styles.group}>
      <AriaCheckbox
        className={styles.choice}
        inputRef={input}
        name={name}
        isRequired
        isInvalid={isMissing}
        validationBehavior="aria"
        {...(isMissing ? { 'aria-describedby': id } : {})}
        isSelected={isAgreed}
        onChange={onAgree}
      >
        <span className={styles.box}>
          <Check size={14} strokeWidth={3} aria-hidden />
        </span>
        <span className={styles.label} {...requiredMark(true)}>
          {label}
        </span>
      </AriaCheckbox>
      {isMissing && (
        <span id={id} className={styles.error}>
          {said}
        </span>
      )}
    </div>
  )
}

interface GroupProps<Value extends string> {
  label: string
  name?: string
  options: readonly Option<Value>[]
  isLabelHidden?: boolean
}

/** Checkboxes of which any number can be chosen. */
export function CheckboxGroup<Value extends string>(
  props: GroupProps<Value> & { value: readonly Value[]; onChange: (value: Value[]) => void; isRequired?: boolean },
) {
  const { label, name, options, value, onChange, isLabelHidden = false, isRequired = false } = props
  const message = useFieldMessage(name)
  return (
    <AriaCheckboxGroup
      className={styles.group}
      validationBehavior="aria"
      isInvalid={message !== undefined}
      isRequired={isRequired}
      value={[...value]}
      onChange={(values) => onChange(values as Value[])}
      {...(name === undefined ? {} : { name })}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : styles.label} {...requiredMark(isRequired)}>
        {label}
      </Label>
      <div className={styles.choices}>
        {options.map((option) => (
          <Checkbox key={option.value} value={option.value} label={option.label} />
        ))}
      </div>
      <FieldError className={styles.error}>{message}</FieldError>
    </AriaCheckboxGroup>
  )
}

/** Choices of which one is chosen; as one control where there are two or three short ones. */
export function RadioGroup<Value extends string>(
  props: GroupProps<Value> & { value: Value; onChange: (value: Value) => void; isSegmented?: boolean },
) {
  const { label, name, options, value, onChange, isLabelHidden = false, isSegmented = false } = props
  const message = useFieldMessage(name)
  return (
    <AriaRadioGroup
      className={`${styles.group} ${isSegmented ? segments.segments : ''}`}
      orientation="horizontal"
      validationBehavior="aria"
      isInvalid={message !== undefined}
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
      {...(name === undefined ? {} : { name })}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : styles.label}>{label}</Label>
      <div className={styles.choices}>
        {options.map((option) => (
          <Choice key={option.value} {...option} hasDot={!isSegmented} />
        ))}
      </div>
      <FieldError className={styles.error}>{message}</FieldError>
    </AriaRadioGroup>
  )
}

function Choice({ value, label, reason, hasDot }: Option & { hasDot: boolean }) {
  const id = useId()
  return (
    <>
      <Radio
        value={value}
        className={styles.choice}
        isDisabled={reason !== undefined}
        {...(reason === undefined ? {} : { 'aria-describedby': id })}
      >
        {hasDot && <span className={`${styles.box} ${styles.dot}`} />}
        {label}
      </Radio>
      {reason !== undefined && (
        <span id={id} className="visually-hidden">
          {reason}
        </span>
      )}
    </>
  )
}
