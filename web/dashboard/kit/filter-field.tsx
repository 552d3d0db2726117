import { useEffect, useRef, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { idOf } from '../search-parameters.ts'
import { Field, type FieldProps } from './field.tsx'

const AFTER_MS = 300

/** Its type is `number` for an id. */
export interface FilterFieldProps extends Pick<FieldProps, 'label' | 'type' | 'size'> {
  /** The text of the address; undefined when the filter is not set. */
  value: string | undefined
  /** With `isMore`, more of a text is typed of which the address has a part. */
  onFilter: (value: string | undefined, isMore: boolean) => void
  /** A day of the calendar, which has no time zone. Other days are those of UTC. */
  isCalendarDay?: boolean
}

/**
 * A field of a filter: the address changes shortly after the last key, or at once with Enter. An empty field is no filter, and what is no id
 * does not change it. What is typed until then or until the focus leaves is one filter, however slowly.
 */
export function FilterField({ value = '', onFilter, isCalendarDay = false, ...rest }: FilterFieldProps) {
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // The address follows what is typed, some keys behind: only another value is shown.
  const applied = useRef(value)
  const isMore = useRef(false)
  useEffect(() => {
    // Another value, such as that of Back, ends it.
    if (value !== applied.current) {
      clearTimeout(timer.current)
      setTyped(value)
      isMore.current = false
    }
    applied.current = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const isNoId = (text: string): boolean => rest.type === 'number' && text !== '' && idOf(text) === undefined
  const apply = (text: string): void => {
    clearTimeout(timer.current)
    // Where the person stayed for the sake of unsaved input, the address does not have it yet.
    if ((text === applied.current && text === value) || isNoId(text)) return
    applied.current = text
    onFilter(text === '' ? undefined : text, isMore.current)
    isMore.current = true
  }
  const change = (text: string): void => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => apply(text), AFTER_MS)
  }
  return (
    <div
      onBlur={() => (isMore.current = false)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        // The key would press the button of a question that opens.
        event.preventDefault()
        apply(typed)
        isMore.current = false
      }}
    >
      <Field
        {...rest}
        maxLength={255}
        problem={isNoId(typed) ? t.filters.noId : undefined}
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
