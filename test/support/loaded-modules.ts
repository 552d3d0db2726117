/** Node's arguments that let a server tell the modules that it loads: see `loadedModules`. */
export const TELL_MODULES = ['--import', new URL('tell-modules.ts', import.meta.url).href]

/** The modules that a process has loaded, by its output; of several processes, that of the one that ended last. */
export function loadedModules(output: string): string[] {
  const last = output.match(/^\{"modules":.*$/gm)?.at(-1)
  if (last === undefined) throw new Error(`The process did not tell its modules: ${output}`)
  return (JSON.parse(last) as { modules: string[] }).modules
}
