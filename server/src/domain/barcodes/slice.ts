import { slice } from '../../procedures/slice.ts'
import { addBarcode } from './add-barcode.ts'
import { listBarcodes } from './list-barcodes.ts'
import { removeBarcode } from './remove-barcode.ts'
import { scanCode } from './scan-code.ts'

/** Additional barcodes and packs of products, and what a scanned code is. */
export const barcodes = slice({
  tags: [
    {
      name: 'scan',
      description:
        'Identification of scanned codes. Picks, receipts, counts, and lines of deliveries, returns, holds and packages read their `barcode` in the same way.',
    },
  ],
  endpoints: [listBarcodes, addBarcode, removeBarcode, scanCode],
  constraints: {
    product_barcodes_pkey: { code: 'already_exists', message: 'A product has this barcode already' },
  },
})
