import { useState } from 'react'
import { t } from '../../shared/texts/texts.ts'
import type { Session } from '../../shared/api.ts'
import { startSession } from '../data/client.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import form from '../kit/form.module.css'

/** Takes an API key, which is sent once and kept nowhere in the browser. */
export function SignInForm({ onSession }: { onSession: (session: Session) => void }) {
  const [key, setKey] = useState('')
  const { isSaving, error, start } = useSignIn(onSession)
  return (
    <Form
      label={t.signIn.title}
      typed={undefined}
      isSaving={isSaving}
      error={error}
      buttons={
        <div className={form.buttons}>
          <Button type="submit" kind="primary" isSaving={isSaving}>
            {t.signIn.submit}
          </Button>
        </div>
      }
      onSubmit={() => void start({ key: key.trim() })}
    >
      <Field
        label={t.signIn.key}
        hint={t.signIn.keyHint}
        value={key}
        onChange={setKey}
        isSecret
        size="wide"
        autoComplete="off"
        autoFocus
      />
    </Form>
  )
}

/** Redeems the code of a link, by a press and never by opening the page: previews spend nothing. */
export function CodeForm({
  code,
  onSession,
  onOther,
}: {
  code: string
  onSession: (session: Session) => void
  onOther: () => void
}) {
  const { isSaving, error, start } = useSignIn(onSession)
  return (
    <Form
      label={t.signIn.title}
      typed={undefined}
      isSaving={isSaving}
      error={error}
      buttons={
        <div className={form.buttons}>
          {error !== undefined && <Button onPress={onOther}>{t.signIn.withKey}</Button>}
          <Button type="submit" kind="primary" isSaving={isSaving} autoFocus>
            {t.signIn.open}
          </Button>
        </div>
      }
      onSubmit={() => void start({ code })}
    >
      <p>{t.signIn.codeHint}</p>
    </Form>
  )
}

function useSignIn(onSession: (session: Session) => void) {
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<Error>()
  const start = async (input: { key: string } | { code: string }): Promise<void> => {
    if (isSaving) return
    setSaving(true)
    setError(undefined)
    try {
      onSession(await startSession(input))
    } catch (failure) {
      setError(failure as Error)
    } finally {
      setSaving(false)
    }
  }
  return { isSaving, error, start }
}
