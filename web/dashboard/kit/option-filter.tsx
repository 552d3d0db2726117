import { Select } from './select.tsx'

const ANY = 'all'

interface OptionFilterProps<Value extends string> {
  label: string
  /** What the choice of no value says. */
  any: string
  values: readonly Value[]
  labelOf: (value: Value) => string
  value: Value | undefined
  onFilter: (value: Value | undefined) => void
}

/** A filter by one of a few values, such as a state. */
export function OptionFilter<Value extends string>({ label, any, values, labelOf, value, onFilter }: OptionFilterProps<Value>) {
  return (
    <Select
      label={label}
      options={[{ value: ANY, label: any }, ...values.map((each) => ({ value: each as string, label: labelOf(each) }))]}
      value={value ?? ANY}
      onChange={(chosen) => onFilter(values.find((each) => each === chosen))}
    />
  )
}
