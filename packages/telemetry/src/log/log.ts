import { once } from 'node:events'
import { type DestinationStream, pino, symbols } from 'pino'
import type { Metrics } from '../metrics/metrics.ts'

export type Log = ReturnType<typeof createLog>

/** What has no place in a line, in case a fact ever carries it. */
const redacted = [
  'headers',
  'body',
  'url',
  '*.headers',
  '*.body',
  '*.url',
  '*.authorization',
  '*.client_secret',
  '*.secrets',
  '*.msisdn',
]

/**
 * Structured lines on stdout, those of a busy moment in one write. A line is made of named facts, so a body, a secret or
 * a number has no way in; the redaction is the second lock.
 */
export const createLog = (app: 'api' | 'worker', level: string, destination?: DestinationStream) =>
  pino(
    {
      level,
      base: { app },
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: redacted, remove: true },
    },
    destination ?? pino.destination({ dest: 1, sync: false }),
  )

/**
 * Writes what is left, in its order, and closes the log. A process that ends without it may lose its last lines, or
 * print them before a line that is still being written: `flush` of a log without a buffer waits for nothing.
 */
export async function endLog(log: Log): Promise<void> {
  const { [symbols.streamSym]: stream } = log as unknown as Record<symbol, unknown>
  if (!isSonicBoom(stream)) return
  // Whoever read it may be gone: what it does not take is lost, and no reason to end otherwise.
  const closed = once(stream, 'close').catch(() => undefined)
  stream.end()
  await closed
}

/** For a last line that `endLog` follows: pino flushes after a fatal line, and that overtakes a line being written. */
export function neverFlush(log: Log): void {
  const { [symbols.streamSym]: stream } = log as unknown as Record<symbol, unknown>
  if (isSonicBoom(stream)) stream.flushSync = () => undefined
}

type SonicBoom = ReturnType<typeof pino.destination>
const isSonicBoom = (stream: unknown): stream is SonicBoom =>
  typeof stream === 'object' && stream !== null && 'flushSync' in stream && 'end' in stream

/** Ids, counts and codes of an alert. */
type Facts = Readonly<Record<string, string | number | null>>

/** One line and one count for each alert, by its stable name. */
export function alertTo(log: Log, metrics: Pick<Metrics, 'counter'>): (name: string, facts: Facts) => void {
  const count = metrics.counter('alerts_total', 'Alert lines, by name.', ['alert'])
  return (name, facts) => {
    count({ alert: name })
    log.error({ alert: name, ...facts }, name)
  }
}

/** What a line may say of an error. Its message is left out: the database and parsers quote values in theirs. */
export function describeError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error }
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  return { type: error.name, code: codeOf(error), stack: stack?.join('\n') }
}

/** A word or a number: a code that is more may hold anything. */
function codeOf(error: Error): string | number | null {
  const code: unknown = 'code' in error ? error.code : null
  return typeof code === 'string' || typeof code === 'number' ? code : null
}
