import { createHash, randomBytes } from 'node:crypto'
import { link, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createTarPacker } from 'modern-tar'
import { syncFolder } from '../../runtime/sync-folder.ts'
import { MANIFEST_FILE, type Manifest } from './manifest.ts'

const CHUNK_BYTES = 262_144
/** Three times as fast as the default level; the file is a tenth larger. */
const COMPRESSION_LEVEL = 1
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Writes a gzipped tar file, which gets its name when it is complete. Only its owner can read it. */
export class ArchiveWriter {
  readonly #path: string
  readonly #draft: string
  readonly #packer = createTarPacker()
  readonly #compressed: Promise<void>
  readonly #manifest: Manifest = { files: {} }
  readonly #onBytes: (bytes: number) => void

  private constructor(target: string, draft: string, file: FileHandle, onBytes: (bytes: number) => void) {
    this.#path = target
    this.#draft = draft
    this.#onBytes = onBytes
    const gzip = createGzip({ level: COMPRESSION_LEVEL })
    this.#compressed = pipeline(Readable.fromWeb(this.#packer.readable), gzip, file.createWriteStream({ flush: true }))
    // The next call of an add method or of `finish` gets this error.
    this.#compressed.catch((error: unknown) => this.#packer.controller.error(error))
  }

  /** `onBytes` gets the number of bytes added, before compression. Throws when the file exists. */
  static async create(target: string, onBytes: (bytes: number) => void): Promise<ArchiveWriter> {
    if ((await stat(target).catch(() => undefined)) !== undefined) throw isThere(target)
    const draft = `${target}.${randomBytes(4).toString('hex')}.partial`
    try {
      return new ArchiveWriter(target, draft, await open(draft, 'wx', 0o600), onBytes)
    } catch (error) {
      throw new Error(`${target} cannot be written: ${(error as Error).message}`, { cause: error })
    }
  }

  async addFolder(name: string): Promise<void> {
    await this.#packer.controller.add({ name: `${name}/`, type: 'directory', size: 0, mode: 0o700 }).close()
  }

  async addText(name: string, text: string): Promise<void> {
    await this.addBytes(name, Buffer.from(text))
  }

  async addBytes(name: string, bytes: Buffer): Promise<void> {
    await this.#add(name, bytes.length, [bytes])
  }

  /**
   * Adds a file that may change meanwhile, with the size that it has at the start. If the file gets shorter, the rest is filled with zeros;
   * replaying the write-ahead log corrects them.
   */
  async addFile(name: string, source: FileHandle): Promise<void> {
    const { size } = await source.stat()
    await this.#add(name, size, chunksOf(source, size))
  }

  /** Appends the manifest, flushes the archive to the disk and gives it its name. Returns its size in bytes. */
  async finish(): Promise<number> {
    await this.addText(MANIFEST_FILE, JSON.stringify(this.#manifest))
    this.#packer.controller.finalize()
    await this.#compressed
    const { size } = await stat(this.#draft)
    await this.#takeName()
    await syncFolder(path.dirname(this.#path))
    return size
  }

  /** Deletes the incomplete archive. */
  async discard(): Promise<void> {
    this.#packer.controller.error(new Error('The backup was aborted'))
    await this.#compressed.catch(() => {})
    await rm(this.#draft, { force: true })
  }

  /** A link is refused when the file exists by now: another backup may have had the name in mind. A rename would replace it. */
  async #takeName(): Promise<void> {
    try {
      await link(this.#draft, this.#path)
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'EEXIST') throw isThere(this.#path)
      // Some file systems, such as those of USB sticks, have no links.
      if (!WITHOUT_LINKS.has(code)) throw error
      return await rename(this.#draft, this.#path)
    }
    await rm(this.#draft)
  }

  async #add(name: string, size: number, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    const hash = createHash('sha256')
    const entry = this.#packer.controller.add({ name, size, mode: 0o600 }).getWriter()
    for await (const chunk of chunks) {
      hash.update(chunk)
      this.#onBytes(chunk.length)
      await entry.write(chunk)
    }
    await entry.close()
    this.#manifest.files[name] = { size, sha256: hash.digest('hex') }
  }
}

const isThere = (file: string): Error => new Error(`${file} is there already: choose another name`)

async function* chunksOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size;) {
    const length = Math.min(CHUNK_BYTES, size - position)
    // A new buffer for each chunk: the packer may still use the previous one.
    const buffer = Buffer.alloc(length)
    const { bytesRead } = await file.read(buffer, 0, length, position)
    const chunk = bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead)
    yield chunk
    position += chunk.length
  }
}
