import { FileTrigger } from 'react-aria-components'
import { t } from '../../../shared/texts/texts.ts'
import type { ImportTarget } from '../../import/import-target.ts'
import type { KeptImport } from '../../import/kept-import.ts'
import type { ImportState } from '../../import/use-import.ts'
import { Button } from '../../kit/button.tsx'
import form from '../../kit/form.module.css'

export interface ChooseFileProps {
  target: ImportTarget
  state: ImportState
  isDisabled: boolean
  onFile: (file: File) => void
  onForget: (kept: KeptImport) => void
}

/** Takes the file, and tells of other imports that have not ended. */
export function ChooseFile({ target, state, isDisabled, onFile, onForget }: ChooseFileProps) {
  const { step, file, table, kept, own } = state
  const others = kept.filter(({ id }) => id !== own?.kept.id)
  return (
    <>
      {!isDisabled &&
        others.map((one) => (
          <div key={one.id} className={`${form.note} ${form.waiting}`}>
            <p>{t.import.kept(one.fileName)}</p>
            <div className={`${form.buttons} ${form.start}`}>
              <Button aria-label={t.import.forgetOne(one.fileName)} onPress={() => onForget(one)}>
                {t.import.forget}
              </Button>
            </div>
          </div>
        ))}
      {table === undefined && <p>{t.import.limits}</p>}
      <div className={`${form.buttons} ${form.start}`}>
        <FileTrigger
          acceptedFileTypes={['.csv', '.tsv', '.txt', 'text/csv']}
          onSelect={(files) => {
            const chosen = files?.item(0)
            if (chosen !== null && chosen !== undefined) onFile(chosen)
          }}
        >
          <Button
            kind={table === undefined ? 'primary' : 'plain'}
            scope={target.scope}
            isSaving={step === 'reading'}
            isDisabled={isDisabled && step !== 'reading'}
          >
            {table === undefined ? t.import.choose : t.import.chooseOther}
          </Button>
        </FileTrigger>
      </div>
      {file !== undefined && table !== undefined && <p>{t.import.file(file.name, table.rows.length)}</p>}
    </>
  )
}
