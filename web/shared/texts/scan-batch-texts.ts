import { scanBatch } from './en-scan-batch.ts'

/** The texts of batches in the scan app, which are loaded with them. */
export const texts = scanBatch
