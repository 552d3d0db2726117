import type { Operator, OperatorsUpdateParams } from '@fulfillment/sdk'
import { t } from '../../../shared/texts/texts.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'
import { OPERATOR_CODES, useOperatorInput } from './operator-input.tsx'

/** The dialog that edits an operator. Only what was changed is sent. */
export function EditOperator({ operator, onClose }: { operator: Operator; onClose: () => void }) {
  const [{ name, email, may_change_stock }, fields] = useOperatorInput(operator)
  const input: OperatorsUpdateParams = {
    ...(name === operator.name ? {} : { name }),
    ...(email === operator.email ? {} : { email }),
    ...(may_change_stock === operator.may_change_stock ? {} : { may_change_stock }),
  }
  return (
    <WriteDialog
      title={t.operators.editOne(operator.name)}
      act={t.dialog.save}
      kind="primary"
      scope="admin"
      codes={OPERATOR_CODES}
      input={input}
      write={(api, params, options) => api.operators.update(operator.id, params, options)}
      done={(saved) => t.operators.saved(saved.name)}
      onClose={onClose}
    >
      {fields}
    </WriteDialog>
  )
}
