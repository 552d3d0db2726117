import { t } from '../../../shared/texts/texts.ts'
import { LabelSheet } from '../../kit/label-sheet.tsx'
import { PrintButton } from '../../kit/print-button.tsx'
import { Screen } from '../../kit/screen.tsx'

const LABELS = Object.entries(t.devices.commandNames).map(([code, title]) => ({ id: code, code, title, note: code }))

/** A sheet of barcodes that press the buttons of the scan app. */
export function CommandsScreen() {
  return (
    <Screen title={t.devices.commands} hasCurl={false} actions={<PrintButton />}>
      <p>{t.devices.commandsText}</p>
      <LabelSheet labels={LABELS} />
    </Screen>
  )
}
