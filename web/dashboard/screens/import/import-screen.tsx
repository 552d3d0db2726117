import { t } from '../../../shared/texts/texts.ts'
import { useScreenRead } from '../../data/screen-reads.tsx'
import { useSession } from '../../data/session.tsx'
import type { ImportTarget } from '../../import/import-target.ts'
import { itemOf } from '../../import/mapping.ts'
import { type ImportState, useImport } from '../../import/use-import.ts'
import { Button } from '../../kit/button.tsx'
import { Countdown } from '../../kit/countdown.tsx'
import { ErrorNote } from '../../kit/error-note.tsx'
import { ButtonLink } from '../../kit/link.tsx'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { Screen } from '../../kit/screen.tsx'
import { ChooseFile } from './choose-file.tsx'
import { Columns, isMapped } from './columns.tsx'
import { AskBeforeLeaving } from './ask-before-leaving.tsx'
import { RowErrors } from './row-errors.tsx'

/** Where the imported records are. */
const LISTS = { products: '/products', stock: '/stock' } as const

/** Rows of the example that `Copy as curl` has. */
const EXAMPLE_ROWS = 3

/** Imports a file in steps: choose, say what its columns are, check, import. */
export function ImportScreen({ target }: { target: ImportTarget }) {
  const { tenant } = useSession()
  const run = useImport(tenant.id, target)
  const { state } = run
  const { step, table, mapping, errors, file } = state
  const example = table?.rows.slice(0, EXAMPLE_ROWS).map(({ cells }) => itemOf(cells, mapping, target)) ?? []
  useScreenRead('import', (api) => target.check(api, example, {}), true)
  const isBusy = step === 'reading' || step === 'importing'
  return (
    <Screen title={t.import.titles[target.name]}>
      <p>{t.import.intro[target.name]}</p>
      <ChooseFile target={target} state={state} isDisabled={isBusy} onFile={run.choose} onForget={run.forget} />
      {table !== undefined && (step === 'columns' || step === 'checking' || step === 'checked') && (
        <Columns table={table} mapping={mapping} target={target} onMapping={run.setMapping} />
      )}
      <Progress state={state} target={target} />
      <ErrorNote error={state.error} />
      <Buttons run={run} target={target} />
      {table !== undefined && errors.length > 0 && step !== 'checking' && (
        <RowErrors errors={errors} table={table} mapping={mapping} fileName={file?.name ?? ''} />
      )}
      <AskBeforeLeaving isOn={step === 'importing'} />
    </Screen>
  )
}

type Run = ReturnType<typeof useImport>

/** What can be done next. */
function Buttons({ run: { state, check, begin, goOn, pause }, target }: { run: Run; target: ImportTarget }) {
  const { step, table, mapping, total, errors, isPausing = false } = state
  const { scope } = target
  if (table === undefined) return null
  const good = total - new Set(errors.map(({ row }) => row)).size
  return (
    <div>
      {(step === 'columns' || step === 'checking') && (
        <Button
          kind="primary"
          scope={scope}
          isSaving={step === 'checking'}
          isDisabled={!isMapped(mapping, target)}
          onPress={check}
        >
          {t.import.check}
        </Button>
      )}
      {step === 'checked' && (
        <Button kind="primary" scope={scope} isDisabled={good === 0} onPress={begin}>
          {t.import.begin(good)}
        </Button>
      )}
      {step === 'done' && <ButtonLink to={LISTS[target.name]}>{t.import.toList[target.name]}</ButtonLink>}
      {step === 'importing' && (
        <Button isSaving={isPausing} onPress={pause}>
          {t.import.pause}
        </Button>
      )}
      {step === 'paused' && (
        <Button kind="primary" scope={scope} onPress={goOn}>
          {t.import.goOn}
        </Button>
      )}
    </div>
  )
}

/** How far it has come, in numbers. */
function Progress({ state, target }: { state: ImportState; target: ImportTarget }) {
  const { step, rows, total, created, changed, errors, isPausing, retryAt } = state
  if (step === 'choose' || step === 'reading' || step === 'columns') return null
  const failed = new Set(errors.map(({ row }) => row)).size
  const head = {
    checking: t.import.checking(rows, total),
    checked: failed === total ? t.import.nothing : t.import.checked,
    importing: isPausing === true ? t.import.pausing(rows, total) : t.import.importing(rows, total),
    paused: t.import.paused(rows, total),
    done: t.import.done,
  }[step]
  return (
    <>
      {step !== 'checked' && <ProgressBar label={t.import.progress} value={rows} max={total} />}
      <p role="status">{`${t.import.outcome[target.name](created, changed, failed)}. ${head}`}</p>
      {retryAt !== undefined && <Countdown until={retryAt} text={t.import.waiting} />}
    </>
  )
}
