import type { FlowBatchesCreateParams } from '@fulfillment/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Checkbox, RadioGroup } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import { type ChosenOperator, OperatorCombo } from '../../kit/operator-combo.tsx'
import { Select } from '../../kit/select.tsx'
import { useWarehouses } from '../../kit/use-warehouses.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { nameOfBatch } from './batch-cells.tsx'

const DEFAULT_ORDERS = '10'

/** What is typed. */
interface Wanted {
  way: 'rule' | 'named'
  names: string
  most: string
  until: string
  warehouse: string
  isSingleLine: boolean
}

const NOTHING: Wanted = { way: 'rule', names: '', most: DEFAULT_ORDERS, until: '', warehouse: '', isSingleLine: false }

/** The dialog that starts a batch: of the most urgent orders that are ready, or of those that are named. */
export function StartBatch({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const [operator, setOperator] = useState<ChosenOperator>({ operator_email: '' })
  const [wanted, setWanted] = useState(NOTHING)
  return (
    <WriteDialog
      title={t.batches.start}
      act={t.batches.start}
      kind="primary"
      scope="write:orders"
      note={t.batches.startText}
      input={inputOf(wanted, operator)}
      write={(api, input, options) => api.flowBatches.create(input, options)}
      done={(batch) => t.batches.started(nameOfBatch(batch), batch.slots.length)}
      onDone={({ id }) => void navigate({ to: '/picking/batches/$id', params: { id: String(id) } })}
      onClose={onClose}
    >
      <OperatorCombo chosen={operator} onOperator={setOperator} />
      <OrdersInput wanted={wanted} onChange={(changed) => setWanted({ ...wanted, ...changed })} />
    </WriteDialog>
  )
}

function inputOf(
  { way, names, most, until, warehouse, isSingleLine }: Wanted,
  operator: ChosenOperator,
): FlowBatchesCreateParams {
  if (way === 'named') return { order_tenant_ids: linesOf(names), ...operator }
  const rule = {
    max_orders: Number(most),
    ...(until === '' ? {} : { assembly_until: until }),
    ...(warehouse === '' ? {} : { warehouse_id: Number(warehouse) }),
    ...(isSingleLine ? { single_line: true } : {}),
  }
  return { rule, ...operator }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function OrdersInput({ wanted, onChange }: { wanted: Wanted; onChange: (changed: Partial<Wanted>) => void }) {
  return (
    <>
      <RadioGroup
        label={t.batches.orders}
        isSegmented
        options={[
          { value: 'rule', label: t.batches.byRule },
          { value: 'named', label: t.batches.byName },
        ]}
        value={wanted.way}
        onChange={(way) => onChange({ way })}
      />
      {wanted.way === 'rule' ? (
        <RuleInput wanted={wanted} onChange={onChange} />
      ) : (
        <Field
          label={t.batches.names}
          name="order_tenant_ids"
          hint={t.batches.namesHint}
          isMultiline
          isRequired
          size="wide"
          value={wanted.names}
          onChange={(names) => onChange({ names })}
        />
      )}
    </>
  )
}

/** The orders are chosen by the server: the most urgent that match. */
function RuleInput({ wanted, onChange }: { wanted: Wanted; onChange: (changed: Partial<Wanted>) => void }) {
  const { warehouses } = useWarehouses()
  return (
    <>
      <Field
        label={t.batches.most}
        name="rule.max_orders"
        type="number"
        isRequired
        size="narrow"
        value={wanted.most}
        onChange={(most) => onChange({ most })}
      />
      <Field
        label={t.batches.until}
        name="rule.assembly_until"
        type="date"
        size="narrow"
        value={wanted.until}
        onChange={(until) => onChange({ until })}
      />
      {warehouses.length > 1 && (
        <Select
          label={t.locations.warehouse}
          name="rule.warehouse_id"
          options={[
            { value: '', label: t.batches.defaultWarehouse },
            ...warehouses.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          value={wanted.warehouse}
          onChange={(warehouse) => onChange({ warehouse })}
        />
      )}
      <Checkbox
        label={t.batches.singleLine}
        isSelected={wanted.isSingleLine}
        onChange={(isSingleLine) => onChange({ isSingleLine })}
      />
    </>
  )
}
