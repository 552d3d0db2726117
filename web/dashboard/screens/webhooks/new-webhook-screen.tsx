import type { WebhooksCreateParams } from '@fulfillment/sdk'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { Screen } from '../../kit/screen.tsx'
import { SecretShown } from './secret-shown.tsx'
import { TOPIC_FIELDS, useWebhookInput } from './webhook-input.tsx'

/** Subscribes a receiver. Its signing secret is shown once. */
export function NewWebhookScreen() {
  const { input, fields } = useWebhookInput({ name: '', url: '', events: ['*'] })
  const navigate = useNavigate()
  const write = useWrite({
    write: (api, params: WebhooksCreateParams, options) => api.webhooks.create(params, options),
    secret: (created, _, isHere) => (close) => (
      <SecretShown
        secret={created.secret}
        onStored={() => {
          close()
          if (isHere()) void navigate({ to: '/webhooks/$id', params: { id: created.id }, ignoreBlocker: true })
        }}
      />
    ),
  })
  return (
    <Screen title={t.webhooks.new} hasCurl={false}>
      <Form
        {...write}
        label={t.webhooks.new}
        typed={input}
        fields={TOPIC_FIELDS}
        buttons={
          <FormButtons
            submit={t.webhooks.create}
            scope="write:webhooks"
            isSaving={write.isSaving}
            call={(api) => api.webhooks.create(input)}
          />
        }
        onSubmit={() => void write.send(input)}
      >
        {fields}
      </Form>
    </Screen>
  )
}
