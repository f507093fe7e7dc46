import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { loadArchiveSettings } from '@merchant-payments/config/archive-settings'
import { archivesOf, listMonths, readManifest } from './archive/folder.ts'
import { type ArchivedTable, archivedTables } from './archive/manifest.ts'
import { PART_BYTES } from './archive/parts.ts'
import { readLines, uuidOf, type Wanted } from './archive/read.ts'
import { summaryOf, verifyMonths, writeMonths } from './archive/run.ts'
import { exitOnSignal } from './exit-on-signal.ts'

const USAGE = `Usage: archive <command> [<month>]... --config <merchant-payments.yaml>
  (or --folder <folder> --retention-days <days>; without any, the file that MERCHANT_PAYMENTS_CONFIG names)
  A month is written 202501, an earlier archive of a month that came back after its drop 202501-1.
  write [<month>]...   archives the months that ended more than retention_days ago, or those named. Needs
                       DATABASE_OWNER_URL, or DATABASE_OWNER_URL_FILE: a file with the url. Refuses a folder
                       without database.json once months were archived: an empty one begins a new folder
  verify [<month>]...  reads all files and compares them with their manifest; with DATABASE_OWNER_URL also with the
                       database, which then keeps a month whose archive is damaged. Names what it has dropped
                       and the folder has lost
  list                 prints the archived months
  read <month>...      prints rows, one JSON object a line
Options of read:
  --table events|deliveries|delivery_attempts
  --merchant <client_id>
  --id <id>            of an event or a delivery: evt_…, wd_… or a UUID`

const EXIT_FAULT = 1
const EXIT_NOT_RUN = 2
class UsageError extends Error {
  override readonly message = USAGE
}

interface Settings {
  readonly folder: string
  /** Null if the command line names a folder alone. */
  readonly retentionDays: number | null
}

const commands = ['write', 'verify', 'list', 'read'] as const
const report = (line: string): void => console.log(line)

async function main(): Promise<number> {
  const { command, settings, months, wanted } = readArguments()
  const { folder, retentionDays } = settings
  switch (command) {
    case 'write': {
      const which = months.length > 0 ? { months } : { retentionDays: retentionDays ?? usage() }
      await writeMonths({ url: ownerUrl() ?? usage(), folder, partBytes: PART_BYTES, report }, which)
      return 0
    }
    case 'verify': {
      const faults = await verifyMonths({ url: ownerUrl() ?? null, folder, report }, months)
      return faults === 0 ? 0 : EXIT_FAULT
    }
    case 'list':
      for (const month of await listMonths(folder)) {
        report(summaryOf((await readManifest(folder, month)).manifest))
      }
      return 0
    case 'read':
      for (const month of months) {
        for (const name of await archivesOf(folder, month)) {
          const lines = readLines(folder, name, wanted)
          await pipeline(Readable.from(withBreaks(lines)), process.stdout, { end: false })
        }
      }
      return 0
  }
}

async function* withBreaks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`
}

function readArguments() {
  const { values, positionals } = parsed()
  const [given, ...months] = positionals
  const command = commands.find((one) => one === given) ?? usage()
  if (months.some((month) => !/^\d{6}(-\d+)?$/.test(month))) usage()
  if ((command === 'read') !== months.length > 0 && (command === 'read' || command === 'list')) usage()
  return { command, settings: settingsOf(values), months, wanted: wantedOf(values) }
}

type Values = ReturnType<typeof parsed>['values']

function settingsOf({ folder, config, 'retention-days': days }: Values): Settings {
  if (folder === undefined)
    return loadArchiveSettings(config ?? process.env['MERCHANT_PAYMENTS_CONFIG'] ?? usage())
  if (config !== undefined || (days !== undefined && !/^\d{2,5}$/.test(days))) usage()
  return { folder, retentionDays: days === undefined ? null : Number(days) }
}

function wantedOf({ table, merchant, id }: Values): Wanted {
  const isTable = (name: string): name is ArchivedTable => archivedTables.some((one) => one === name)
  if (table !== undefined && !isTable(table)) usage()
  if (id !== undefined && uuidOf(id) === null) usage()
  return { table: table ?? null, merchant: merchant ?? null, id: id ?? null }
}

function parsed() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      allowPositionals: true,
      options: { config: text, folder: text, 'retention-days': text, table: text, merchant: text, id: text },
    })
  } catch {
    return usage()
  }
}

function usage(): never {
  throw new UsageError()
}

function ownerUrl(): string | undefined {
  const { DATABASE_OWNER_URL: url, DATABASE_OWNER_URL_FILE: file } = process.env
  return url !== undefined || file === undefined ? url : readFileSync(file, 'utf8').replace(/\r?\n$/, '')
}

exitOnSignal()

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  return error instanceof UsageError ? EXIT_NOT_RUN : EXIT_FAULT
})
