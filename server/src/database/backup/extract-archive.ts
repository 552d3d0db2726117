import { createHash } from 'node:crypto'
import { chown, mkdir, open, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { z } from 'zod'
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar'
import type { Owner } from '../embedded/postgres-programs.ts'
import { ACCESS_FILE, DATA_FOLDER } from '../embedded/cluster-files.ts'
import {
  ENCRYPTION_KEY_FILE,
  FORMAT,
  manifest,
  MANIFEST_FILE,
  metadata,
  METADATA_FILE,
  type Manifest,
  type Metadata,
} from './manifest.ts'
import { isUnsafe, ownConfigurationOf } from './server-configuration.ts'

const READ_BYTES = 262_144
const MAX_TEXT_BYTES = 67_108_864
const NAME = new RegExp(
  `^(${METADATA_FILE}|${MANIFEST_FILE}|${ACCESS_FILE}|${ENCRYPTION_KEY_FILE}|${DATA_FOLDER}(/[\\w.-]+)*/?)$`,
)

/** The folder and owner of an extracted archive. */
export interface Destination {
  folder: string
  /** The owner of the database files; undefined for the current user. */
  owner: Owner | undefined
  /** Throws when a backup with this metadata cannot be restored here. It is called before any file is extracted. */
  check(metadata: Metadata): void
  /** Gets the number of bytes read from the archive. */
  onRead(bytes: number): void
  signal: AbortSignal
}

/** Extracts a backup and checks every file against the manifest. Throws when the backup is incomplete or changed. */
export async function extractArchive(archive: FileHandle, destination: Destination): Promise<Metadata> {
  const contents: Manifest = { files: {} }
  let about: Metadata | undefined
  let listed: Manifest | undefined
  for await (const entry of entriesOf(archive, destination)) {
    const { name } = entry.header
    if (listed !== undefined || !isExpected(name)) throw new Error(`unexpected entry ${JSON.stringify(name)}`)
    if ((about === undefined) !== (name === METADATA_FILE)) throw new Error(`it does not begin with ${METADATA_FILE}`)
    if (entry.header.type === 'directory') await makeFolder(path.join(destination.folder, name), destination)
    else if (name === MANIFEST_FILE) listed = manifest.parse(JSON.parse(await textOf(entry)))
    else if (name === METADATA_FILE) {
      const text = await textOf(entry)
      about = metadataIn(text)
      destination.check(about)
      contents.files[name] = { size: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }
    } else contents.files[name] = await extractFile(entry, path.join(destination.folder, name), destination)
  }
  if (about === undefined || listed === undefined) throw new Error('it ends too early')
  compare(listed, contents)
  return about
}

/** Whether a backup may contain a file or folder of this name. Not with a segment `.` or `..`: such a name would mean another file than the one it is compared with. */
export const isExpected = (name: string): boolean => NAME.test(name) && path.posix.normalize(name) === name && !isUnsafe(name)

/** A newer version may change everything about the metadata but its version, so that is read first. */
function metadataIn(text: string): Metadata {
  const value: unknown = JSON.parse(text)
  const { format, version } = z.object({ format: z.number(), version: z.string() }).parse(value)
  if (format > FORMAT)
    throw new Error(
      `it was made by version ${version} of the service in a format that this version cannot read: restore it with that one`,
    )
  return metadata.parse(value)
}

async function* entriesOf(archive: FileHandle, { onRead, signal }: Destination): AsyncGenerator<ParsedTarEntry> {
  const compressed = archive.createReadStream({ autoClose: false, highWaterMark: READ_BYTES, signal })
  compressed.on('data', (chunk) => onRead(chunk.length))
  const unpacked = createGunzip()
  pipeline(compressed, unpacked, () => {})
  // ReadableStream.from, because Readable.toWeb loses the cause of an error.
  yield* ReadableStream.from<Uint8Array>(unpacked).pipeThrough(createTarDecoder({ strict: true }))
}

async function makeFolder(folder: string, { owner }: Destination): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
}

async function extractFile(
  { body, header }: ParsedTarEntry,
  target: string,
  { owner, folder }: Destination,
): Promise<{ size: number; sha256: string }> {
  const file = await open(target, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    const own = ownConfigurationOf(header.name)
    let size = 0
    for await (const chunk of body) {
      hash.update(chunk)
      size += chunk.length
      if (own === undefined) await file.writeFile(chunk)
    }
    if (own !== undefined) await file.writeFile(own)
    if (size !== header.size) throw new Error(`${header.name} is truncated`)
    // Postgres may run as another user and must own its data. The files beside the data belong to the current user.
    if (owner !== undefined && path.dirname(target) !== folder) await file.chown(owner.uid, owner.gid)
    return { size, sha256: hash.digest('hex') }
  } finally {
    await file.close()
  }
}

async function textOf({ body, header }: ParsedTarEntry): Promise<string> {
  if (header.size > MAX_TEXT_BYTES) throw new Error(`${header.name} is too large`)
  return await new Response(body).text()
}

function compare(listed: Manifest, found: Manifest): void {
  const names = new Set([...Object.keys(listed.files), ...Object.keys(found.files)])
  const wrong = [...names].filter(
    (name) => listed.files[name] === undefined || listed.files[name].sha256 !== found.files[name]?.sha256,
  )
  if (wrong.length > 0) throw new Error(`not what was backed up: ${wrong.slice(0, 5).join(', ')}`)
}
