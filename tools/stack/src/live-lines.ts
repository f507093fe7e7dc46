import type { Clock } from './clock.ts'
import type { Forwarded } from './forward.ts'
import type { ReceivedWebhook } from './receiver.ts'

export interface LiveLines {
  readonly processLine: (source: string, line: string) => void
  readonly webhook: (webhook: ReceivedWebhook) => void
  readonly forwarded: (forwarded: Forwarded) => void
}

/** Time during which the same text is not printed again. */
const QUIET_MS = 10_000
const REMEMBERED_MAX = 200
const LINE_CHARS_MAX = 300

/** Prints what a developer wants to see: events, alerts, server errors. It does not print each request. */
export function createLiveLines(print: (line: string) => void, clock: Clock): LiveLines {
  const saidAtMs = new Map<string, number>()

  function isRepeated(words: string): boolean {
    const nowMs = clock()
    const isQuiet = nowMs - (saidAtMs.get(words) ?? Number.NEGATIVE_INFINITY) < QUIET_MS
    if (isQuiet) return true
    saidAtMs.delete(words)
    saidAtMs.set(words, nowMs)
    const [oldest] = saidAtMs.keys()
    if (saidAtMs.size > REMEMBERED_MAX && oldest !== undefined) saidAtMs.delete(oldest)
    return false
  }

  const say = (source: string, words: string) => {
    const time = new Date(clock()).toTimeString().slice(0, 8)
    print(`${time}  ${source.padEnd(8)}  ${words}`.slice(0, LINE_CHARS_MAX))
  }

  return {
    processLine: (source, line) => {
      const words = notableWords(source, line)
      if (words !== null && !isRepeated(`${source} ${words}`)) say(source, words)
    },
    webhook: ({ body }) => say('webhook', webhookWords(body)),
    forwarded: ({ url, status }) =>
      say('webhook', `sent on to ${url}: ${status ?? 'no answer; start your server there'}`),
  }
}

type Facts = Readonly<Record<string, unknown>>

const notableLevels = new Set<unknown>(['warn', 'error', 'fatal'])
/** Keys that every line has, or whose values are too long. */
const dullKeys = new Set(['level', 'time', 'app', 'msg', 'alert', 'err'])

function notableWords(source: string, line: string): string | null {
  if (source === 'postgres') return /\b(?:FATAL|PANIC): +(.*)/.exec(line)?.[0] ?? null
  const facts = parseFacts(line)
  if (facts === null || !notableLevels.has(facts['level'])) return null
  if (facts['msg'] === 'request') {
    const { method, route, status, code, request_id: id } = facts
    return `${String(status)} ${String(method)} ${String(route)} ${String(code)} (${String(id)})`
  }
  const details = Object.entries(facts).filter(([key, value]) => !dullKeys.has(key) && isShown(value))
  const named = 'alert' in facts ? `ALERT ${String(facts['alert'])}` : String(facts['msg'])
  return [named, ...details.map(([key, value]) => `${key}=${String(value)}`)].join(' ')
}

const isShown = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'

/** An event without a resource's id is not one of ours, so only its arrival is printed. */
function webhookWords(body: string): string {
  const event = parseFacts(body)
  const { object } = (event?.['data'] ?? {}) as { object?: Facts }
  if (event === null || object === undefined) return 'something that is no event'
  const money = 'amount' in object ? `${String(object['amount'])} ${String(object['currency'])}` : ''
  return [String(event['type']), String(object['id']), money].join('  ').trimEnd()
}

function parseFacts(text: string): Facts | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Facts) : null
  } catch {
    return null
  }
}
