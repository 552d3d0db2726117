import { t } from '../../shared/texts/texts.ts'
import { Checkbox } from '../kit/choices.tsx'
import { Field } from '../kit/field.tsx'
import form from '../kit/form.module.css'
import type { Bind } from '../kit/use-typed.ts'
import type { ReceivingKind } from './kind.ts'

/** What is typed about a delivery or return, new or not. `own` is the supplier or the reason; `allow_over` is `yes` or empty. */
export interface RecordHead extends Record<string, string> {
  expected_at: string
  own: string
  note: string
  allow_over: string
}

interface HeadInputProps {
  kind: ReceivingKind
  allowOver: string
  bind: Bind<'expected_at' | 'own' | 'note' | 'allow_over'>
}

/** The fields of a delivery or return that can be changed later. */
export function HeadInput({ kind: { own }, allowOver, bind }: HeadInputProps) {
  const { name: _, ...ownField } = bind('own')
  return (
    <>
      <div className={form.row}>
        <Field label={t.receiving.expectedAt} type="date" size="narrow" {...bind('expected_at')} />
        <Field label={own.label} name={own.name} maxLength={own.maxLength} {...ownField} />
      </div>
      <NoteInput bind={bind} />
      <Checkbox
        label={t.receiving.allowOverLabel}
        isSelected={allowOver !== ''}
        onChange={(isSelected) => bind('allow_over').onChange(isSelected ? 'yes' : '')}
      />
    </>
  )
}

/** The note of a delivery or return, which can be changed when it is over, too. */
export function NoteInput({ bind }: { bind: Bind<'note'> }) {
  return <Field label={t.receiving.note} isMultiline maxLength={1000} size="wide" {...bind('note')} />
}
