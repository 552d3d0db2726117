import { InvalidArgumentError, type Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { onInterrupt } from './interruption.ts'

interface Options {
  seed: number
  products: number
  days: number
  orders: number
  rate: number
  minutes: number
  live: boolean
  dataDir: string
  force?: boolean
}

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description(
      'Serve a warehouse that is at work: with a history, open orders, and people who order, pick and deliver over the API',
    )
    .option('--seed <number>', 'another number is another warehouse', integer(0, 1_000_000_000), 1)
    .option('--products <number>', 'products, 1 to 5000', integer(1, 5_000), 200)
    .option('--days <number>', 'days of history, 0 to 365', integer(0, 365), 90)
    .option('--orders <number>', 'open orders, 0 to 1000', integer(0, 1_000), 40)
    .option('--rate <number>', 'orders a minute, 1 to 60', integer(1, 60), 12)
    .option('--minutes <number>', 'end after so many minutes, 1 to 1440', integer(1, 1_440), 60)
    .option('--no-live', 'fill the tenant, and exit')
    .option('--data-dir <folder>', 'folder of its own database, unless DATABASE_URL is set', '.demo')
    .option('--force', 'also use a database of production, or one with data that no demo made')
    .action((options: Options) => run(options))
}

async function run({ dataDir, force, ...options }: Options): Promise<void> {
  // The settings read an empty folder as the default one, which is the server's own.
  if (dataDir === '') throw new Error('--data-dir: names no folder')
  const config = configOf(dataDir)
  // Loaded here: other commands need none of it.
  if (config.databaseUrl !== undefined && force !== true) {
    const { requireDemoDatabase } = await import('../demo/require-demo-database.ts')
    await requireDemoDatabase(config.databaseUrl, process.env.NODE_ENV === 'production')
  }
  const { runDemo } = await import('../demo/run-demo.ts')
  const interruption = onInterrupt('Ending. Press Ctrl-C again to stop immediately')
  const unwritable = new AbortController()
  // The output was closed, as by `| head`, or its disk is full: nobody sees the rest.
  process.stdout.once('error', () => unwritable.abort())
  try {
    await runDemo(
      config,
      { ...options, onlyDemos: force !== true },
      (line) => process.stdout.write(`${line}\n`),
      AbortSignal.any([interruption.signal, unwritable.signal]),
    )
  } finally {
    interruption.stopListening()
  }
}

/** The settings of the server, with its log only where something is wrong, and receivers on this machine. */
function configOf(dataDir: string): Config {
  const { LOG_LEVEL = 'warn' } = process.env
  const env = process.env.DATABASE_URL === undefined || process.env.DATABASE_URL === '' ? { DATA_DIR: dataDir } : {}
  const config = readConfig({ ...process.env, ...env, LOG_LEVEL, PROCESSES: '1' })
  return { ...config, production: false, webhookAllowPrivateNetwork: true }
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`must be an integer from ${min} to ${max}`)
    return value
  }
}
