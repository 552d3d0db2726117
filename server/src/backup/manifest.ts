import { z } from 'zod'

/** Raised when what is in a backup changes in a way that older versions cannot restore. */
export const FORMAT = 1

export const METADATA_FILE = 'backup.json'
export const MANIFEST_FILE = 'manifest.json'
export const ENCRYPTION_KEY_FILE = 'encryption-key'
export const ACCESS_FILE = 'postgres.json'
export const DATA_FOLDER = 'postgres'

/** The first entry of a backup. */
export const metadata = z.object({
  format: z.literal(FORMAT),
  created_at: z.iso.datetime(),
  /** Of the service. */
  version: z.string(),
  /** The major version, on which the files of a database depend, as they do on the processor. */
  postgres: z.string(),
  arch: z.string(),
  /** `environment`: it was given as ENCRYPTION_KEY and is not in the backup. */
  encryption_key: z.enum(['included', 'environment']),
})
export type Metadata = z.infer<typeof metadata>

/** The last entry: what all the others hold. Without it a backup is not whole. */
export const manifest = z.object({ files: z.record(z.string(), z.object({ size: z.int(), sha256: z.string() })) })
export type Manifest = z.infer<typeof manifest>
