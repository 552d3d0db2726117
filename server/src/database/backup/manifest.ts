import { z } from 'zod'

/** Raise it when the format of backups changes so that older versions cannot restore them. */
export const FORMAT = 1

export const METADATA_FILE = 'backup.json'
export const MANIFEST_FILE = 'manifest.json'
export const ENCRYPTION_KEY_FILE = 'encryption-key'

/** The first entry of a backup. */
export const metadata = z.object({
  format: z.literal(FORMAT),
  created_at: z.iso.datetime(),
  /** Version of the service. */
  version: z.string(),
  /** Major version of Postgres. The format of database files depends on it and on the processor architecture. */
  postgres: z.string(),
  arch: z.string(),
  /** `environment`: the key was set as ENCRYPTION_KEY and is not in the backup. */
  encryption_key: z.enum(['included', 'environment']),
})
export type Metadata = z.infer<typeof metadata>

/** The last entry: size and hash of all other entries. A backup without it is incomplete. */
export const manifest = z.object({ files: z.record(z.string(), z.object({ size: z.int(), sha256: z.string() })) })
export type Manifest = z.infer<typeof manifest>
