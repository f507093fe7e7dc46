import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { holdTransaction } from '@merchant-payments/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { createCustomer } from '../customer-steps.ts'
import { startTestApi } from '../harness.ts'
import { sendRaw } from '../raw.ts'
import { until } from '../rows.ts'
import { intentForm } from '../steps.ts'
import { bytesOf, sendWithoutReading } from '../unread.ts'

/** Spec 8. */
const BODY_BYTES_MAX = 64 * 1024
/** Together below what one read of a connection returns, 64 KiB. */
const CHUNKS = 9_000
const PEERS = 10
/** For each connection with its requests and 9 kB of body. A Buffer for each chunk would take 1.7 MB. */
const HEAP_BYTES_MAX = 200_000

const api = await startTestApi()
afterAll(() => api.stop())

const authorization = `Bearer ${await api.tokenFor('acme')}`
const chunked = { 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' }
const chunksOf = (text: string) => Array.from(text, (char) => `1\r\n${char}\r\n`).join('')
const unfinished = bytesOf('POST', '/v1/payment_intents', chunked) + chunksOf('x'.repeat(CHUNKS))

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapBytes(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

/** What a connection keeps of the bytes, in the heap of both ends. `free` lets its requests go on. */
async function keptOf(bytes: string, free?: () => Promise<unknown>): Promise<number> {
  const before = heapBytes()
  const ends: { client: Socket; server: Socket }[] = []
  for (let n = 0; n < PEERS; n += 1) ends.push(await sendWithoutReading(api, bytes))
  await until(async () => ends.every(({ server }) => server.bytesRead === bytes.length))
  const kept = (heapBytes() - before) / PEERS
  await free?.()
  for (const { client } of ends) client.destroy()
  await until(async () => ends.every(({ server }) => server.closed))
  return kept
}

describe('a body in chunks of one byte [§8]', () => {
  test('is served', async () => {
    const headers = { ...chunked, authorization, 'idempotency-key': 'tiny', connection: 'close' }
    const head = bytesOf('POST', '/v1/payment_intents', headers)
    expect(await sendRaw(api.origin, `${head}${chunksOf(intentForm)}0\r\n\r\n`)).toMatchObject([
      { status: 201 },
    ])
  })

  test.each(['GET', 'POST'])('is a 413 above 64 KiB: %s', async (method) => {
    const head = bytesOf(method, '/v1/payment_intents', chunked)
    const [answer] = await sendRaw(api.origin, `${head}${chunksOf('x'.repeat(BODY_BYTES_MAX + 1))}0\r\n\r\n`)
    expect(answer).toBeBare(413)
  })

  test('keeps its bytes and no Buffer for each, while it is read', async () => {
    expect(await keptOf(unfinished)).toBeLessThan(HEAP_BYTES_MAX)
  })

  test('keeps its bytes and no Buffer for each, while its request waits for the one before it', async () => {
    const { id } = await createCustomer(api)
    const free = await holdTransaction(api.db, (tx) =>
      tx.selectFrom('customers').select('id').forUpdate().execute(),
    )
    const before = bytesOf('DELETE', `/v1/customers/${id}`, { authorization, 'idempotency-key': 'held' })
    expect(await keptOf(before + unfinished, free)).toBeLessThan(HEAP_BYTES_MAX)
  })
})
