import { setTimeout as delay } from 'node:timers/promises'
import type { BenchDatabase } from '../system/database.ts'

export interface Statement {
  readonly text: string
  readonly parameters: readonly (string | null)[]
}

const TRIES_MAX = 100
const POLL_MS = 20

/**
 * Reads the statements of one request from PostgreSQL's log, so that the floor runs the same text.
 *
 * @param send makes the request; called again if PostgreSQL had not begun to log yet
 */
export async function captureStatements(
  database: BenchDatabase,
  send: () => Promise<void>,
): Promise<Statement[]> {
  const lines: string[] = []
  const stop = database.onLogLine((line) => void lines.push(line))
  const setLogging = async (value: 'all' | 'none') => {
    await database.client.query(`alter system set log_statement = '${value}'`)
    await database.client.query('select pg_reload_conf()')
  }
  try {
    await setLogging('all')
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      lines.length = 0
      await send()
      await delay(POLL_MS)
      const statements = parseLog(lines)
      if (statements.length > 0) return statements
    }
  } finally {
    await setLogging('none')
    stop()
  }
  throw new Error('the server logged none of the statements of the API')
}

const executed = /^merchant-payments-api LOG: {2}execute \S+: (.*)/s
const detail = /^merchant-payments-api DETAIL: {2}Parameters: (.*)/s

/** A line that begins with a tab continues the previous one. */
function parseLog(lines: readonly string[]): Statement[] {
  const entries = lines
    .join('\n')
    .replaceAll('\n\t', '\n')
    .split(/\n(?=\S* (?:LOG|DETAIL): {2})/)
  const statements: Statement[] = []
  for (const [n, entry] of entries.entries()) {
    const text = executed.exec(entry)?.[1]
    if (text === undefined) continue
    const parameters = detail.exec(entries[n + 1] ?? '')?.[1] ?? ''
    statements.push({ text, parameters: parseParameters(parameters) })
  }
  return statements
}

const parseParameters = (text: string): (string | null)[] =>
  [...text.matchAll(/\$\d+ = (?:NULL|'((?:[^']|'')*)')/g)].map(
    ([, quoted]) => quoted?.replaceAll("''", "'") ?? null,
  )
