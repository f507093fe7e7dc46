import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Stack } from '@merchant-payments/stack'
import type { JournalEntry } from '@merchant-payments/testing/invariants'
import { fetchToken } from '@merchant-payments/testing/token'
import type { Latencies } from './latencies.ts'

/** A merchant's backend as docs/operations.md asks for: it repeats a request under its key until it has an answer. */
export interface Shop {
  readonly journal: readonly JournalEntry[]
  /** What the shop could not finish. Empty if the run passes. */
  readonly errors: readonly string[]
  /** Confirms that a death interrupted, and whose repetitions waited until the charge had its outcome (docs/spec-gaps.md). */
  readonly interrupted: () => number
  /** Confirms whose charge the rail never saw. The shop confirmed these payments again. */
  readonly unseen: () => number
  /** Pays once: creates, confirms, waits for the webhook, reads. */
  readonly buy: () => Promise<void>
  readonly onWebhook: (webhook: { readonly body: string }) => void
}

interface Intent {
  readonly id: string
  readonly status: string
  readonly last_payment_error: { readonly code: string } | null
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

const PAYER = '237670000001'
const AMOUNT = 2_500
/**
 * A confirm that was interrupted before its submit learns the end of its charge three minutes later: the rail's time-out,
 * two minutes in which the rail must not know the charge, and a rung of the worker's ladder.
 */
const GIVE_UP_MS = 240_000
/** Confirms of one payment, each of whose charges the rail may never have seen. */
const CONFIRMS_MAX = 3
const PAUSE_MIN_MS = 100
const PAUSE_MAX_MS = 1_000
/** For a payment whose confirm was interrupted: the worker asks the rail once the submit's deadline has passed. */
const WEBHOOK_MS = 180_000
const READ_MS = 30_000
/** Short, so that the token endpoint takes part in every disturbance. */
const TOKEN_LIFE_MS = 10_000

export async function openShop(stack: Stack, latencies: Latencies): Promise<Shop> {
  const { tokenUrl, clientId, mockRails, baseUrl } = stack
  const privateJwk = JSON.parse(await readFile(stack.privateKeyFile, 'utf8'))
  const journal: JournalEntry[] = []
  const errors: string[] = []
  const succeeded = new Map<string, () => void>()
  const interrupted = new Set<string | null>()
  let unseen = 0
  let token = { text: '', untilMs: 0 }

  async function bearer(): Promise<string> {
    if (performance.now() < token.untilMs) return token.text
    const text = await fetchToken({ tokenUrl, clientId, privateJwk })
    token = { text, untilMs: performance.now() + TOKEN_LIFE_MS }
    return text
  }

  async function sendOnce(method: string, path: string, form: string, key: string | null) {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${await bearer()}`,
        ...(key !== null && {
          'idempotency-key': key,
          'content-type': 'application/x-www-form-urlencoded',
        }),
      },
      signal: AbortSignal.timeout(READ_MS),
      ...(key !== null && { body: form }),
    })
    const body = await response.text()
    journal.push({
      merchant: clientId,
      key,
      request: `${method} ${path} ${form}`,
      status: response.status,
      body,
    })
    // Each intent is confirmed once, so the charge under way is of this request.
    const isUnderWay = response.status === 409 && body.includes('"charge_in_progress"')
    if (isUnderWay) interrupted.add(key)
    const again =
      isUnderWay || response.status >= 500 || response.headers.get('compat-should-retry') === 'true'
    return { status: response.status, body: JSON.parse(body) as unknown, again }
  }

  /** @throws if there is no answer in time */
  async function send(name: string, method: string, path: string, form = ''): Promise<Answer> {
    const key = method === 'POST' ? randomUUID() : null
    const startedAtMs = performance.now()
    let last = 'nothing'
    let pauseMs = PAUSE_MIN_MS
    for (let tries = 1; performance.now() - startedAtMs < GIVE_UP_MS; tries += 1) {
      try {
        const { status, body, again } = await sendOnce(method, path, form, key)
        if (!again) {
          latencies.add(name, performance.now() - startedAtMs, tries)
          return { status, body }
        }
        last = `${status} ${JSON.stringify(body)}`
      } catch (error) {
        last = String(error)
      }
      await delay(pauseMs)
      pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
    }
    throw new Error(`${method} ${path} had no answer for ${GIVE_UP_MS} ms; the last was ${last}`)
  }

  async function expectOk(name: string, method: string, path: string, form?: string): Promise<Intent> {
    const { status, body } = await send(name, method, path, form)
    if (status === 200 || status === 201) return body as Intent
    throw new Error(`${method} ${path} was refused: ${status} ${JSON.stringify(body)}`)
  }

  async function confirm(id: string): Promise<void> {
    const payer = `payment_method_data[${mockRails.pushRail}][msisdn]=${PAYER}`
    for (let confirms = 1; confirms <= CONFIRMS_MAX; confirms += 1) {
      const intent = await expectOk('confirm', 'POST', `/v1/payment_intents/${id}/confirm`, payer)
      if (intent.status !== 'requires_payment_method') return
      if (intent.last_payment_error?.code !== 'not_accepted')
        throw new Error(`${id} failed: ${JSON.stringify(intent.last_payment_error)}`)
      unseen += 1
    }
    throw new Error(`the rail did not see ${CONFIRMS_MAX} charges of ${id}`)
  }

  async function pay(): Promise<void> {
    const form = `amount=${AMOUNT}&currency=XAF&payment_method_types[]=${mockRails.pushRail}`
    const { id } = await expectOk('create', 'POST', '/v1/payment_intents', form)
    const told = Promise.withResolvers<number>()
    succeeded.set(id, () => told.resolve(performance.now()))
    const startedAtMs = performance.now()
    await confirm(id)
    const toldAtMs = await Promise.race([told.promise, delay(WEBHOOK_MS, null, { ref: false })])
    succeeded.delete(id)
    if (toldAtMs === null) throw new Error(`no webhook of ${id} within ${WEBHOOK_MS} ms`)
    latencies.add('confirm to webhook', toldAtMs - startedAtMs, 1)
    const { status } = await expectOk('read', 'GET', `/v1/payment_intents/${id}`)
    if (status !== 'succeeded') throw new Error(`${id} is ${status} after its webhook`)
  }

  return {
    journal,
    errors,
    interrupted: () => interrupted.size,
    unseen: () => unseen,
    buy: () => pay().catch((error: unknown) => void errors.push(String(error))),
    onWebhook: ({ body }) => {
      const event = JSON.parse(body) as { type: string; data: { object: { id: string } } }
      if (event.type === 'payment_intent.succeeded') succeeded.get(event.data.object.id)?.()
    },
  }
}
