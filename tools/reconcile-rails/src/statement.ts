import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { loadConfig } from '@merchant-payments/config'
import { Refusal, STATEMENT_PART_BYTES_MAX } from '@merchant-payments/contract'
import { recordEnds } from '@merchant-payments/contract/records'
import {
  addPart,
  addSums,
  type Clock,
  compareStatement,
  createStatement,
  getStatement,
  type Operator,
  parseId,
  type RailCode,
  type Rails,
  type StatementId,
  systemClock,
} from '@merchant-payments/core'
import { type Database, requireSchema } from '@merchant-payments/db'
import { openRails } from '@merchant-payments/rails'
import { offsetSecOf, readPart, type StatementColumns, StatementError } from '@merchant-payments/statements'
import { headLine, openDatabaseOf, parseArguments, runCommand, UsageError } from './command.ts'
import { FileError } from './lines.ts'

const USAGE = `Usage: reconcile:statement <config.yaml> <rail> <day> <file.csv> --operator <name> --reason <text>
  <day>       the day that the file covers, in the operator's zone, such as 2026-11-21
  <file.csv>  the operator's statement in UTF-8; the configuration (statements) says which column is what
  --operator  who runs the command
  --reason    why, for the audit log; no names and no numbers of payers`

/** The exit code if the statement and the ledger differ. */
const EXIT_DIFFERS = 1

export interface Comparing {
  readonly db: Database
  readonly rails: Rails
  readonly clock: Clock
  readonly operator: Operator
}

/**
 * Reads a statement's file in parts, so that it may be larger than memory, and compares it. A file that cannot be read
 * replaces no earlier statement of the day.
 *
 * @returns its id
 * @throws FileError if the file changes meanwhile; what was read is not compared
 */
export async function reconcileStatement(
  { operator, ...deps }: Comparing,
  columns: StatementColumns,
  day: string,
  path: string,
): Promise<StatementId> {
  // All of it is read before the statement of the day is replaced.
  let sums = { charges_sum: 0, payouts_sum: 0 }
  const wholeFile = createHash('sha256')
  for await (const part of readParts(columns, path, wholeFile)) sums = addSums(sums, part)
  const { name, reason, requestId } = operator
  const request = {
    staff: { subject: `operator:${name}`, name, role: 'operator' },
    reason,
    requestId,
    key: requestId,
    fingerprint: createHash('sha256').update(`${columns.rail} ${day}`).digest(),
  } as const
  const offsetSec = offsetSecOf(columns)
  const { entry } = await createStatement(deps, request, { rail: columns.rail, day, offsetSec })
  const id = parseId('st', entry.target)
  if (id === null) throw new Error('a statement has an id of its own kind')
  let number = 0
  const added = createHash('sha256')
  for await (const part of readParts(columns, path, added)) {
    await addPart(deps, id, { number, ...part })
    number += 1
  }
  if (!added.digest().equals(wholeFile.digest())) {
    throw new FileError(
      `${path}: the file has changed while it was read. Run the command again once it is whole.`,
    )
  }
  const compare = async () => (await compareStatement(deps, request, id, number)).answer.status
  let status = await compare()
  while (status === 'matching') status = await compare()
  if (status === 'replaced')
    throw new FileError(`${path}: another statement of the day has replaced this one`)
  return id
}

/**
 * @param hash gets the text
 * @throws FileError or StatementError for what is no statement
 */
async function* readParts(
  columns: StatementColumns,
  path: string,
  hash: Hash,
): AsyncGenerator<ReturnType<typeof readPart>, void, undefined> {
  // A pipe could not be read again.
  if (!(await stat(path)).isFile()) throw new FileError(`${path}: is no file`)
  let heads: readonly string[] | null = null
  let lines = 0
  for await (const text of partsOf(path, columns)) {
    hash.update(text)
    const part: ReturnType<typeof readPart> = readPart(columns, text, heads, lines)
    heads ??= part.heads
    lines += text.split('\n').length - 1
    yield part
  }
  if (heads === null) throw new FileError(`${path}: no line names the columns`)
}

/** The text of a file, some hundred kilobytes at a time. A byte that is not UTF-8 is an error, and no other character. */
async function* textOf(path: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new FileError(`${path}: the file is not UTF-8`)
    }
  }
  const chunks: AsyncIterable<Buffer> = createReadStream(path, {
    highWaterMark: STATEMENT_PART_BYTES_MAX / 4,
  })
  for await (const chunk of chunks) yield decode(chunk)
  yield decode()
}

/** Whole records. */
async function* partsOf(
  path: string,
  { delimiter }: Pick<StatementColumns, 'delimiter'>,
): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const text of textOf(path)) {
    rest += text
    let end = 0
    for (const next of recordEnds(rest, 0, delimiter)) end = next
    if (end > 0) yield rest.slice(0, end)
    rest = rest.slice(end)
    if (rest.length > STATEMENT_PART_BYTES_MAX) {
      throw new FileError(`${path}: a line is too long, or a quote does not end`)
    }
  }
  if (rest !== '') yield rest
}

async function main(): Promise<number> {
  const { configPath, rail, day, path, operator } = readArguments()
  const config = loadConfig(configPath, process.env)
  const columns = config.statements.find((one) => one.rail === rail)
  if (columns === undefined) throw new FileError(`${configPath}: names no columns of statements of ${rail}`)
  const rails = openRails(config.rails, systemClock)
  const db = openDatabaseOf(config)
  try {
    await requireSchema(db.reader)
    if (!rails.has(rail as RailCode)) throw new FileError(`${configPath}: ${rail} is not a rail`)
    const comparing = { db, rails, clock: systemClock, operator }
    const id = await reconcileStatement(comparing, columns, day, path).catch(toFileError(path))
    const found = await getStatement({ db }, id, { verdict: null, after: 0, limit: 1 })
    console.log(`${rail} ${day}: ${found.money_lines} lines with money, recorded as ${id}`)
    console.log(`${found.matched} matched, ${found.ours_only} ours only, ${found.theirs_only} theirs only`)
    console.log(`${found.amount_differs} with another amount, ${found.duplicate} duplicate`)
    const [entry] = await db.reader
      .selectFrom('audit_entries')
      .select('id')
      .where('target', '=', id)
      .orderBy('id', 'desc')
      .limit(1)
      .execute()
    if (entry !== undefined) console.log(await headLine(db, `au_${entry.id.replaceAll('-', '')}`))
    return found.has_more || found.differences.length > 0 ? EXIT_DIFFERS : 0
  } finally {
    await Promise.all([db.close(), ...[...rails.values()].map((one) => one.close())])
  }
}

const toFileError = (path: string) => (error: unknown) => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  if (error instanceof StatementError || error instanceof Refusal)
    throw new FileError(`${path}: ${error.message}`)
  if (code === 'ENOENT' || code === 'EACCES') throw new FileError(`${path}: cannot be read (${code})`)
  throw error
}

function readArguments() {
  const { positionals, operator } = parseArguments(USAGE)
  const [configPath, rail, day, path, ...others] = positionals
  const isDay = day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day)
  if (configPath === undefined || rail === undefined || !isDay || path === undefined || others.length > 0) {
    throw new UsageError(USAGE)
  }
  return { configPath, rail, day, path, operator }
}

// At the end, because it calls what is defined above.
if (process.argv[1] === import.meta.filename) await runCommand(main)
