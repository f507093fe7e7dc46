import { once } from 'node:events'
import { type DestinationStream, pino, symbols } from 'pino'
import type { Metrics } from '../metrics/metrics.ts'
import { logFields, type Say } from './lines.ts'

/** Writes the lines of `logLines`, and no other. */
export interface Log {
  readonly info: Say<'info'>
  readonly warn: Say<'warn'>
  readonly error: Say<'error'> & SayAlert
  readonly fatal: Say<'fatal'>
}

/** Ids, counts and codes of an alert. */
type AlertFacts = Readonly<Record<string, string | number | null>>
type SayAlert = (facts: AlertFacts & { readonly alert: string }, name: string) => void

/** No line has such a field, whatever its value. */
const privateFields: ReadonlySet<string> = new Set([
  'authorization',
  'body',
  'client_secret',
  'headers',
  'msisdn',
  'secrets',
  'url',
])

/** The fields that are written from objects. An object in any other field could carry what no line may. */
const objectFields: ReadonlySet<string> = new Set(
  Object.entries(logFields).flatMap(([name, kind]) =>
    kind === 'error' || kind === 'texts' || kind === 'listener' ? [name] : [],
  ),
)

/** Lines wait for others until they have this many bytes. With a write for each line, 4 % of the API's time went into them. */
const WRITTEN_TOGETHER_BYTES = 4 * 1_024
/** The longest wait of a line. */
const WRITTEN_AFTER_MS = 100

/**
 * Writes JSON lines to stdout; the lines of a busy moment share one write. A line is made of named fields, so no body,
 * secret or phone number gets in. `writableFields` is a second guard. pino's own redaction would search each value for
 * each path: it took a tenth of all memory that a payment needs.
 */
export const createLog = (app: 'api' | 'worker', level: string, destination?: DestinationStream): Log =>
  pino(
    {
      level,
      base: { app },
      formatters: { level: (label) => ({ level: label }), log: writableFields },
      serializers: { err: describeError },
    },
    destination ??
      flushAfterLines(pino.destination({ dest: 1, sync: false, minLength: WRITTEN_TOGETHER_BYTES })),
  )

/** sonic-boom's own `periodicFlush` also writes when there is no line: ten times a second, each time on the thread pool. */
function flushAfterLines(stream: SonicBoom): SonicBoom {
  const write = stream.write.bind(stream)
  let waitingBytes = 0
  let timer: NodeJS.Timeout | null = null
  const flush = () => {
    timer = null
    if (waitingBytes > 0) stream.flush()
  }
  const flushSoon = () => {
    timer ??= setTimeout(flush, WRITTEN_AFTER_MS).unref()
  }
  stream.write = (line) => {
    waitingBytes += Buffer.byteLength(line)
    flushSoon()
    return write(line)
  }
  stream.on('write', (bytes: number) => {
    waitingBytes -= bytes
  })
  // A flush during a write does nothing, so lines that came meanwhile may still wait.
  stream.on('drain', () => {
    if (waitingBytes > 0) flushSoon()
  })
  // A closed stream cannot be flushed, and has written everything.
  stream.once('close', () => timer !== null && clearTimeout(timer))
  return stream
}

/** The facts without private fields, and without objects except those that a line names. */
function writableFields(facts: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.keys(facts).every((name) => isWritable(name, facts[name]))
    ? facts
    : Object.fromEntries(Object.entries(facts).filter(([name, value]) => isWritable(name, value)))
}

const isWritable = (name: string, value: unknown): boolean =>
  (typeof value !== 'object' || value === null || objectFields.has(name)) && !privateFields.has(name)

/**
 * Writes the lines that are left, in their order, and closes the log. A process that ends without it may lose its last
 * lines. pino's `flush` is no substitute: without a buffer it does not wait for a line that is still being written.
 */
export async function endLog(log: Log): Promise<void> {
  const { [symbols.streamSym]: stream } = log as unknown as Record<symbol, unknown>
  if (!isSonicBoom(stream)) return
  // The reader of stdout may be gone. The lines are lost then, but the process ends as usual.
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

/** Logs and counts each alert by its stable name. Each of the names has a series from the start. */
export function alertTo<Name extends string>(
  log: Pick<Log, 'error'>,
  metrics: Pick<Metrics, 'counter'>,
  names: readonly Name[],
): (name: Name, facts: AlertFacts) => void {
  const count = metrics.counter('alerts_total', 'Alert lines, by name.', ['alert'])
  for (const alert of names) count({ alert }, 0)
  return (name, facts) => {
    count({ alert: name })
    log.error({ alert: name, ...facts }, name)
  }
}

/** The loggable part of an error. Its message is left out because the database and parsers quote values in it. */
export function describeError(error: unknown) {
  if (!(error instanceof Error)) return { type: typeof error }
  // A line of the message can look like one of the stack.
  const stack = error.stack
    ?.replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  return { type: error.name, code: codeOf(error), stack: stack?.join('\n') }
}

/** Anything but a string or a number could hold more than a code. */
function codeOf(error: Error): string | number | null {
  const code: unknown = 'code' in error ? error.code : null
  return typeof code === 'string' || typeof code === 'number' ? code : null
}
