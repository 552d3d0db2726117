import type { Location, LocationsUpdateParams, Warehouse } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Checkbox } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import { numberOrNull } from '../../kit/number-input.ts'
import { Select } from '../../kit/select.tsx'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** The dialog that edits a location. Only what was changed is sent. */
export function EditLocation({
  location,
  warehouses,
  onClose,
}: {
  location: Location
  warehouses: readonly Warehouse[]
  onClose: () => void
}) {
  const [code, setCode] = useState(location.code)
  const [name, setName] = useState(location.name ?? '')
  const [warehouse, setWarehouse] = useState(String(location.warehouse_id))
  const [sequence, setSequence] = useState(location.pick_sequence?.toString() ?? '')
  const [pickable, setPickable] = useState(location.pickable)
  const [sellable, setSellable] = useState(location.sellable)
  const pickSequence = numberOrNull(sequence)
  const input: LocationsUpdateParams = {
    ...(code === location.code ? {} : { code }),
    ...(name === (location.name ?? '') ? {} : { name: name === '' ? null : name }),
    ...(Number(warehouse) === location.warehouse_id ? {} : { warehouse_id: Number(warehouse) }),
    ...(pickSequence === location.pick_sequence ? {} : { pick_sequence: pickSequence }),
    ...(pickable === location.pickable ? {} : { pickable }),
    ...(sellable === location.sellable ? {} : { sellable }),
  }
  return (
    <WriteDialog
      title={t.locations.editOne(location.code)}
      act={t.dialog.save}
      kind="primary"
      scope="write:stock"
      input={input}
      write={(api, params, options) => api.locations.update(location.id, params, options)}
      done={(changed) => t.locations.saved(changed.code)}
      onClose={onClose}
    >
      <Field label={t.locations.code} name="code" isRequired maxLength={255} autoFocus value={code} onChange={setCode} />
      <Field label={t.products.name} name="name" maxLength={255} value={name} onChange={setName} />
      <Select
        label={t.locations.warehouse}
        name="warehouse_id"
        options={warehouses.map((each) => ({ value: String(each.id), label: each.name }))}
        value={warehouse}
        onChange={setWarehouse}
      />
      <Field
        label={t.locations.pickSequence}
        name="pick_sequence"
        type="number"
        hint={t.locations.pickSequenceHint}
        value={sequence}
        onChange={setSequence}
      />
      <Checkbox label={t.locations.pickable} isSelected={pickable} onChange={setPickable} />
      <Checkbox label={t.locations.sellable} isSelected={sellable} onChange={setSellable} />
    </WriteDialog>
  )
}
