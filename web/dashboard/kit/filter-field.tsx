import { useEffect, useRef, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { Field, type FieldProps } from './field.tsx'

const AFTER_MS = 300

export interface FilterFieldProps extends Pick<FieldProps, 'label' | 'type' | 'size'> {
  /** The text of the address; undefined when the filter is not set. */
  value: string | undefined
  onFilter: (value: string | undefined) => void
  /** A day of the calendar, which has no time zone. Other days are those of UTC. */
  isCalendarDay?: boolean
}

/** A field of a filter: the address changes shortly after the last key, or at once with Enter. An empty field is no filter. */
export function FilterField({ value = '', onFilter, isCalendarDay = false, ...rest }: FilterFieldProps) {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The address follows what is typed, some keys behind: only another value, such as that of Back, is shown.
  const applied = useRef(value)
  useEffect(() => {
    if (value !== applied.current) setTyped(value)
    applied.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (text: string): void => {
    clearTimeout(timer.current)
    if (text === applied.current) return
    applied.current = text
    onFilter(text === '' ? undefined : text)
  }
  const change = (text: string): void => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => apply(text), AFTER_MS)
  }
  return (
    <div
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(typed)
      }}
    >
      <Field
        {...rest}
        maxLength={255}
        mark={rest.type === 'date' && !isCalendarDay ? t.filters.utc : undefined}
        value={typed}
        onChange={change}
      />
    </div>
  )
}

/** A filter by a day. */
export function DayFilter(props: Omit<FilterFieldProps, 'type' | 'size'>) {
  return <FilterField {...props} type="date" size="narrow" />
}
