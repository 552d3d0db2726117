import { slice } from '../../procedures/slice.ts'
import { createDeviceCode } from './create-device-code.ts'
import { createOperator } from './create-operator.ts'
import { getOperator } from './get-operator.ts'
import { issueBadge } from './issue-badge.ts'
import { listOperators } from './list-operators.ts'
import { updateOperator } from './update-operator.ts'

/** People who pick with devices, and the enrolment of devices. */
export const operators = slice({
  tags: [
    { name: 'operators', description: 'Operators: people who work with scan devices.' },
    { name: 'devices', description: 'Enrolment of scan devices.' },
  ],
  endpoints: [createOperator, listOperators, getOperator, updateOperator, issueBadge, createDeviceCode],
  constraints: {
    operators_email_key: { code: 'already_exists', message: 'An operator with this e-mail address exists' },
  },
})
