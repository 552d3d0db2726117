import { Link } from '@tanstack/react-router'
import { t } from '../../shared/texts/texts.ts'
import { Button } from '../kit/button.tsx'
import { Screen } from '../kit/screen.tsx'
import region from '../kit/region.module.css'

/** What an unknown address shows. */
export function NoSuchPage() {
  return (
    <Screen title={t.frame.noSuchPage} hasCurl={false}>
      <p>
        <Link to="/">{t.frame.toStart}</Link>
      </p>
    </Screen>
  )
}

/** What is shown when a screen itself fails: a defect of the page, or a file that did not arrive. */
export function ScreenFailed({ error }: { error: unknown }) {
  return (
    <>
      <h1>{t.frame.failed}</h1>
      <div role="alert" className={region.error}>
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <Button onPress={() => location.reload()}>{t.states.tryAgain}</Button>
      </div>
    </>
  )
}
