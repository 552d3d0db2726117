import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** A checkout of the server in a folder of its own, in which pages are built or not. */
export interface ServerCopy {
  main: string
  /** Puts files in the place of what the build makes, by their path below `web/dist`; code and styles are compressed too. */
  build(files: Record<string, string>): Promise<void>
  removeBuild(): Promise<void>
}

/** Copies the server's sources; packages are those of this checkout. */
export async function copyServer(folder: string): Promise<ServerCopy> {
  await cp(path.join(ROOT, 'server/src'), path.join(folder, 'server/src'), { recursive: true })
  await cp(path.join(ROOT, 'server/package.json'), path.join(folder, 'server/package.json'))
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  const dist = path.join(folder, 'web/dist')
  return {
    main: path.join(folder, 'server/src/main.ts'),
    build: async (files) => {
      for (const [name, content] of Object.entries(files)) {
        const file = path.join(dist, name)
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, content)
        if (!/\.(js|css|svg)$/.test(name)) continue
        await writeFile(`${file}.br`, brotliCompressSync(content))
        await writeFile(`${file}.gz`, gzipSync(content))
      }
    },
    removeBuild: () => rm(dist, { recursive: true, force: true }),
  }
}
