import type { RailCode, Sighting } from '@merchant-payments/core'
import { FileError, linesOf, unpackedName } from './lines.ts'

/** References of one run. More are read in several runs, from parts of the files. */
const SIGHTINGS_MAX = 200_000
/** Far beyond a line of ours. Log files may have longer ones of other programs. */
const LINE_CHARS_MAX = 64 * 1_024
/** Collectors use one to four. */
const LAYERS_MAX = 10

/** The message in JSON, or in a text in JSON, whose quotes have backslashes. */
const INSTRUCTED = /"rail instructed\\*"/

const reference = /^[\da-zA-Z-]{1,64}$/
const CSV_COLUMNS = ['rail', 'kind', 'reference', 'amount', 'currency', 'merchant'] as const
const CSV_NEEDED = ['rail', 'reference'] as const

type Line = Partial<Record<(typeof CSV_COLUMNS)[number], string>>

export interface Sightings {
  readonly sightings: readonly Sighting[]
  /** How many references each file names, in the order of the files. */
  readonly files: readonly { readonly path: string; readonly references: number }[]
}

/**
 * Reads log lines (`rail instructed`, among any others) and statements (`.csv`, with a header). A reference that occurs
 * more than once is one sighting. A statement's word counts more than a log line's, which adds whose it is.
 */
export async function readSightings(
  paths: readonly string[],
  rails: ReadonlySet<string>,
): Promise<Sightings> {
  const found = new Map<string, Sighting>()
  const files: Sightings['files'][number][] = []
  for (const path of paths) {
    const named = new Set<string>()
    const parse = /\.csv$/i.test(unpackedName(path)) ? statementLines() : logLine
    await eachLine(path, (line) => {
      for (const sighting of parse(line)) {
        if (!rails.has(sighting.rail))
          throw new FileError(`names the rail ${sighting.rail}, which is not configured`)
        if (!reference.test(sighting.reference)) throw new FileError('has a reference that is not ours')
        named.add(add(found, sighting))
      }
    })
    files.push({ path, references: named.size })
  }
  return { sightings: [...found.values()], files }
}

/** Adds the line's number to a fault of it. */
async function eachLine(path: string, take: (line: string) => void): Promise<void> {
  let number = 0
  for await (const line of linesOf(path)) {
    number += 1
    try {
      take(line)
    } catch (error) {
      throw error instanceof FileError ? new FileError(`${path}: line ${number} ${error.message}`) : error
    }
  }
}

/** @returns the sighting's key */
function add(found: Map<string, Sighting>, sighting: Sighting): string {
  const key = `${sighting.rail} ${sighting.kind} ${sighting.reference}`
  const earlier = found.get(key)
  if (earlier === undefined && found.size >= SIGHTINGS_MAX) {
    throw new FileError(`is beyond the ${SIGHTINGS_MAX} references of a run: split the file`)
  }
  found.set(key, earlier === undefined ? sighting : merged(earlier, sighting))
  return key
}

function merged(one: Sighting, other: Sighting): Sighting {
  const [first, second] = other.source === 'statement' ? [other, one] : [one, other]
  return {
    ...first,
    merchant: first.merchant ?? second.merchant,
    object: first.object ?? second.object,
    amountMinor: first.amountMinor ?? second.amountMinor,
    currency: first.currency ?? second.currency,
  }
}

/** Empty for every other line, also one that a supervisor wrote between the service's own. */
function logLine(text: string): Sighting[] {
  if (!INSTRUCTED.test(text)) return []
  if (text.length > LINE_CHARS_MAX) throw new FileError('is too long')
  return [...instructionsIn(text)].map(({ rail, operation, reference, merchant, object }) => ({
    rail: textOf(rail) as RailCode,
    kind: operation === 'refund' ? 'payout' : 'charge',
    reference: lowerIfUuid(textOf(reference)),
    source: 'log',
    merchant: textOf(merchant) || null,
    object: textOf(object) || null,
    amountMinor: null,
    currency: null,
  }))
}

/** Collectors put our lines into JSON of their own, as text or as an object. */
function* instructionsIn(value: unknown, layer = 0): Generator<Record<string, unknown>> {
  if (layer > LAYERS_MAX) throw new FileError('has too many layers')
  if (typeof value === 'string') {
    const start = INSTRUCTED.test(value) ? value.indexOf('{') : -1
    if (start >= 0) yield* instructionsIn(parseJson(value.slice(start)), layer + 1)
  } else if (typeof value === 'object' && value !== null) {
    if ('msg' in value && value.msg === 'rail instructed') yield value
    else for (const inner of Object.values(value)) yield* instructionsIn(inner, layer + 1)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new FileError('is no JSON')
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The first line names the columns. Amounts are in the smallest unit. */
function statementLines(): (text: string) => Sighting[] {
  let columns: readonly string[] | null = null
  return (text) => {
    if (text.trim() === '') return []
    if (text.length > LINE_CHARS_MAX) throw new FileError('is too long')
    if (text.includes('"')) throw new FileError('has a quoted field: write fields without quotes or commas')
    const cells = text.split(',').map((cell) => cell.trim())
    if (columns !== null) return [statementLine(columns, cells)]
    const unknown = cells.filter((name) => !CSV_COLUMNS.some((column) => column === name))
    const missing = CSV_NEEDED.filter((name) => !cells.includes(name))
    if (unknown.length > 0 || missing.length > 0) {
      throw new FileError(
        `must name the columns ${CSV_NEEDED.join(', ')}, and may name ${CSV_COLUMNS.join(', ')}`,
      )
    }
    columns = cells
    return []
  }
}

function statementLine(columns: readonly string[], cells: readonly string[]): Sighting {
  if (cells.length !== columns.length)
    throw new FileError(`has ${cells.length} fields for ${columns.length} columns`)
  const line: Line = Object.fromEntries(columns.map((column, n) => [column, cells[n]]))
  const kind = line.kind || 'charge'
  if (kind !== 'charge' && kind !== 'payout')
    throw new FileError('has a kind that is neither charge nor payout')
  if (line.amount && !/^\d{1,15}$/.test(line.amount))
    throw new FileError('has an amount that is no whole number')
  if (line.currency && !/^[A-Z]{3}$/.test(line.currency))
    throw new FileError('has a currency that is not three capital letters')
  return {
    rail: (line.rail ?? '') as RailCode,
    kind,
    reference: lowerIfUuid(line.reference ?? ''),
    source: 'statement',
    merchant: line.merchant || null,
    object: null,
    amountMinor: line.amount ? Number(line.amount) : null,
    currency: line.currency || null,
  }
}

/** Operators print a UUID in either case. We store it in lower case. */
export const lowerIfUuid = (text: string): string => (text.length === 36 ? text.toLowerCase() : text)
