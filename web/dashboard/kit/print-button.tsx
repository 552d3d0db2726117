import { Printer } from 'lucide-react'
import { t } from '../../shared/texts/texts.ts'
import { Button } from './button.tsx'

/** Opens the print dialog of the browser. What is not to be printed is left out by the style sheets. */
export function PrintButton() {
  return (
    <Button kind="primary" onPress={() => print()}>
      <Printer size={16} aria-hidden />
      {t.symbols.print}
    </Button>
  )
}
