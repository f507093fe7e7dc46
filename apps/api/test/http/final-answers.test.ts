import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { PUSH_RAIL, startTestApi } from '../harness.ts'
import { sendRaw } from '../raw.ts'
import { until } from '../rows.ts'
import { createCall, intentForm } from '../steps.ts'

const api = await startTestApi({ timeoutsEveryMs: 20 })
afterAll(() => api.stop())

const authorization = `Bearer ${await api.tokenFor('acme')}`
const countIntents = async () =>
  (await api.db.reader.selectFrom('payment_intents').select('id').execute()).length

/** A creation of an intent, as bytes up to its body. */
const headOf = (key: string, ...headers: readonly string[]) =>
  [
    'POST /v1/payment_intents HTTP/1.1',
    'host: a',
    `authorization: ${authorization}`,
    `idempotency-key: ${key}`,
    'content-type: application/x-www-form-urlencoded',
    ...headers,
    '',
    '',
  ].join('\r\n')

const lengthOf = (form: string) => `content-length: ${form.length}`
const chunked = 'transfer-encoding: chunked'
const chunkOf = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const lastChunk = '0\r\n\r\n'

/** A client that keeps its half of a connection open. `sent` ends when the service has read the bytes. */
async function open() {
  const accepted = once(api.app.server, 'connection')
  const { hostname, port } = new URL(api.origin)
  const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  onTestFinished(() => void client.destroy())
  client.on('error', () => undefined)
  const seen = { text: '' }
  client.on('data', (chunk: Buffer) => (seen.text += chunk.toString()))
  const [server] = (await accepted) as [Socket]
  const send = async (bytes: string) => {
    const read = server.bytesRead + bytes.length
    client.write(bytes)
    await until(async () => server.destroyed || server.bytesRead === read)
  }
  return { seen, server, send }
}

/** Lets the time for headers and bodies pass, until the connection is closed or has bytes of an answer. */
async function passTimeLimits(ended: () => boolean) {
  const { server } = api.app
  const { headersTimeout, requestTimeout } = server
  Object.assign(server, { headersTimeout: 1, requestTimeout: 1 })
  await until(async () => ended())
  Object.assign(server, { headersTimeout, requestTimeout })
}

describe('a request that does not arrive in time has no answer, is not done, and can be sent again under its key', () => {
  const withLength = (key: string) => headOf(key, lengthOf(intentForm)) + intentForm
  const inChunks = (key: string) =>
    headOf(key, chunked) + chunkOf(intentForm.slice(0, 9)) + chunkOf(intentForm.slice(9)) + lastChunk
  const expecting = (key: string) => headOf(key, lengthOf(intentForm), 'expect: 100-continue') + intentForm

  test.each<[string, (key: string) => string, string, string]>([
    ['nothing is sent on its connection', withLength, 'POST', ''],
    ['its headers are late', withLength, 'content-length', ''],
    ['its whole body is late', withLength, intentForm, ''],
    ['the end of its body is late', withLength, intentForm.slice(-3), ''],
    ['the end of its chunks is late', inChunks, lastChunk, ''],
    ['the middle of a chunk is late', inChunks, intentForm.slice(-3), ''],
    ['its body is late after a 100', expecting, intentForm, 'HTTP/1.1 100 Continue\r\n\r\n'],
  ])('%s', async (_, bytesOf, firstOfRest, answer) => {
    const before = await countIntents()
    const key = randomUUID()
    const bytes = bytesOf(key)
    const at = bytes.indexOf(firstOfRest)
    const { seen, server, send } = await open()
    await send(bytes.slice(0, at))
    await until(async () => seen.text === answer)
    await passTimeLimits(() => server.destroyed || seen.text !== answer)
    await send(bytes.slice(at))
    await until(async () => server.closed)
    expect(seen.text).toBe(answer)
    expect(await countIntents()).toBe(before)
    expect(await api.call(createCall(intentForm, { key }))).toMatchObject({ status: 201 })
  })
})

describe('a request that may be done gets no refusal of what follows it, and has one effect under its key', () => {
  const accented = `description=Caf\u00e9&currency=XAF&payment_method_types[0]=${PUSH_RAIL}&amount=5000`
  const whole = (key: string) => headOf(key, lengthOf(intentForm)) + intentForm

  test.each<[string, string, (key: string) => string]>([
    ['a byte', intentForm, (key) => `${whole(key)}x\r\n`],
    [
      'the bytes beyond a length in characters',
      accented.slice(0, -1),
      (key) => headOf(key, lengthOf(accented)) + accented,
    ],
    [
      'a byte after its chunks',
      intentForm,
      (key) => `${headOf(key, chunked)}${chunkOf(intentForm)}${lastChunk}x\r\n`,
    ],
    [
      'a request whose chunks are malformed',
      intentForm,
      (key) => `${whole(key)}${headOf(randomUUID(), chunked)}zz\r\n`,
    ],
  ])('%s', async (_, form, bytesOf) => {
    const before = await countIntents()
    const key = randomUUID()
    for (let n = 0; n < 2; n += 1) expect(await sendRaw(api.origin, bytesOf(key))).toEqual([])
    await until(async () => (await api.call(createCall(form, { key }))).status === 201)
    expect(await countIntents()).toBe(before + 1)
  })
})

describe('a request that is refused as malformed is not done, whatever is sent afterwards', () => {
  test.each<[string, string, string]>([
    ['in its headers', headOf(randomUUID(), chunked, 'x : y'), chunkOf(intentForm) + lastChunk],
    [
      'in its chunks',
      `${headOf(randomUUID(), chunked)}${chunkOf(intentForm.slice(0, 9))}zz\r\n`,
      chunkOf(intentForm.slice(9)) + lastChunk,
    ],
  ])('%s', async (_, malformed, rest) => {
    const before = await countIntents()
    const { seen, server, send } = await open()
    await send(malformed)
    await until(async () => seen.text !== '')
    expect(seen.text).toMatch(/^HTTP\/1\.1 400 /)
    await send(rest + headOf(randomUUID(), lengthOf(intentForm)) + intentForm)
    await until(async () => server.closed)
    expect(seen.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    expect(await countIntents()).toBe(before)
  })
})
