import type { FulfillmentClient, InboundDelivery, Return, WriteOptions } from '@fulfillment/sdk'
import { type ReactNode, useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import { useWrite } from '../data/use-write.ts'
import { Field } from '../kit/field.tsx'
import { FormButtons } from '../kit/form-buttons.tsx'
import form from '../kit/form.module.css'
import { Form } from '../kit/form.tsx'
import { announcedLines, LinesInput, type NewLine } from '../kit/lines-input.tsx'
import { useTyped } from '../kit/use-typed.ts'
import { WarehouseSelect } from '../kit/warehouse-select.tsx'
import { HeadInput, type RecordHead } from './head-input.tsx'
import { nameOf, type ReceivingKind } from './kind.ts'

interface AnnounceRecordProps<Rec> {
  kind: ReceivingKind
  /** What the choice of no warehouse says. */
  defaultWarehouse: string
  /** What the lines begin with. */
  initialLines?: readonly NewLine[]
  /** Fields of its own: they are sent, and `children` shows them. */
  ownInput?: Record<string, unknown>
  create: (api: FulfillmentClient, input: Announced, options?: WriteOptions) => PromiseLike<Rec>
  onCreated: (record: Rec) => void
  children?: ReactNode
}

/** What is sent of any new delivery or return. */
type Announced = ReturnType<typeof announcedOf>

/** The form that announces a delivery or return. */
export function AnnounceRecord<Rec extends InboundDelivery | Return>(props: AnnounceRecordProps<Rec>) {
  const { kind, defaultWarehouse, initialLines = [], ownInput = {}, create, onCreated, children } = props
  const [head, bind] = useTyped(NEW_HEAD)
  const [warehouse, setWarehouse] = useState<number>()
  const [lines, setLines] = useState(initialLines)
  const input = { ...announcedOf(kind, head, warehouse, lines), ...ownInput }
  const write = useWrite({
    write: (api, announced: Announced, options) => create(api, announced, options),
    done: (record) => kind.texts.announced(nameOf(record)),
    onDone: onCreated,
  })
  return (
    <Form
      {...write}
      label={kind.texts.new}
      typed={input}
      buttons={
        <FormButtons
          submit={kind.texts.announce}
          scope={kind.scope}
          isSaving={write.isSaving}
          call={(api) => create(api, input)}
        />
      }
      onSubmit={() => void write.send(input)}
    >
      {children}
      <div className={form.row}>
        <Field label={t.receiving.reference} maxLength={255} {...bind('reference')} />
        <WarehouseSelect none={defaultWarehouse} name="warehouse_id" value={warehouse} onWarehouse={setWarehouse} />
      </div>
      <HeadInput kind={kind} allowOver={head.allow_over} bind={bind} />
      <LinesInput
        lines={lines}
        onChange={setLines}
        onRemoved={write.forget}
        name="lines"
        hasReasons={kind.own.name === 'reason'}
      />
    </Form>
  )
}

const NEW_HEAD = { reference: '', expected_at: '', own: '', note: '', allow_over: '' }

function announcedOf(
  { own }: ReceivingKind,
  head: RecordHead & { reference: string },
  warehouse: number | undefined,
  lines: readonly NewLine[],
) {
  return {
    ...(head.reference === '' ? {} : { reference: head.reference }),
    ...(warehouse === undefined ? {} : { warehouse_id: warehouse }),
    ...(head.expected_at === '' ? {} : { expected_at: head.expected_at }),
    ...(head.own === '' ? {} : { [own.name]: head.own }),
    ...(head.note === '' ? {} : { note: head.note }),
    ...(head.allow_over === '' ? {} : { allow_over: true }),
    lines: announcedLines(lines),
  }
}
