import { IMPORT_TARGETS } from '../../import/import-target.ts'
import { ImportScreen } from './import-screen.tsx'

export function ImportProductsScreen() {
  return <ImportScreen target={IMPORT_TARGETS.products} />
}
