import { type ErrorWord, errorWord, INTERIM_ANSWERS } from './error-word.ts'
import { readExcerpt } from './excerpt.ts'
import { type FairLookup, openLookup } from './lookup.ts'
import { createPools } from './pools.ts'
import { resolveTarget, type Target } from './resolve-target.ts'

/** Spec 6.3.7. */
const CONNECT_TIMEOUT_MS = 5_000
const TOTAL_TIMEOUT_MS = 10_000

/** Without this limit, a receiver that sends them without end takes the event loop until the deadline. */
const INTERIM_ANSWERS_MAX = 8

interface Post {
  /** The merchant. Owners have equal shares of the look-ups. */
  readonly owner?: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface PostOutcome {
  readonly result: 'succeeded' | 'failed' | 'refused'
  readonly statusCode: number | null
  readonly error: ErrorWord | null
  readonly responseExcerpt: string | null
}

export interface Egress {
  /** Sends once: no retry, no redirect, no proxy. Never rejects because of the receiver. */
  post(post: Post): Promise<PostOutcome>
  close(): Promise<void>
}

export interface EgressOptions {
  readonly allowPrivate: boolean
  readonly lookup?: FairLookup
  readonly connectTimeoutMs?: number
  readonly totalTimeoutMs?: number
}

export function openEgress({
  allowPrivate,
  lookup = openLookup({ allowPrivate }),
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
  totalTimeoutMs = TOTAL_TIMEOUT_MS,
}: EgressOptions): Egress {
  const pools = createPools(connectTimeoutMs)

  async function send({ owner = '', url, headers, body }: Post, signal: AbortSignal): Promise<PostOutcome> {
    const resolve = (host: string) => lookup(host, { owner, signal })
    const target = await Promise.race([resolveTarget(url, { lookup: resolve, allowPrivate }), expiry(signal)])
    if (target.kind !== 'checked') return withoutAnswer(target)
    const pool = pools.get(url.origin, target.addresses)
    const path = url.pathname + url.search
    const onInfo = limitInterimAnswers()
    const answer = await pool.request({ method: 'POST', path, headers, body, signal, onInfo })
    // Spec 3.3: any 2xx succeeds. Only the status line must arrive in time; a failed body does not matter.
    const succeeded = answer.statusCode >= 200 && answer.statusCode <= 299
    return {
      result: succeeded ? 'succeeded' : 'failed',
      statusCode: answer.statusCode,
      error: null,
      responseExcerpt: await readExcerpt(answer.body),
    }
  }

  async function post(message: Post): Promise<PostOutcome> {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), totalTimeoutMs)
    try {
      return await send(message, deadline.signal)
    } catch (error) {
      return failed(deadline.signal.aborted ? 'timeout' : errorWord(error))
    } finally {
      clearTimeout(timer)
    }
  }

  return { post, close: () => pools.close() }
}

/** An error that it throws ends the request and closes its connection. */
function limitInterimAnswers(): () => void {
  let count = 0
  return () => {
    count += 1
    if (count > INTERIM_ANSWERS_MAX)
      throw Object.assign(new Error(INTERIM_ANSWERS), { code: INTERIM_ANSWERS })
  }
}

interface Expired {
  readonly kind: 'expired'
}

const expiry = (signal: AbortSignal): Promise<Expired> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ kind: 'expired' }), { once: true })
  })

function withoutAnswer({ kind }: Exclude<Target, { kind: 'checked' }> | Expired): PostOutcome {
  switch (kind) {
    case 'refused':
      return { ...failed('address_refused'), result: 'refused' }
    case 'unresolved':
      return failed('dns_failure')
    case 'expired':
      return failed('timeout')
  }
}

const failed = (error: ErrorWord): PostOutcome => ({
  result: 'failed',
  statusCode: null,
  error,
  responseExcerpt: null,
})
