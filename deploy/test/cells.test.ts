import { readFile } from 'node:fs/promises'
import { fetchToken } from '@merchant-payments/testing/token'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cell, cellNames, type Cells, EVERYBODY, HOSTS, openCells } from './cells.ts'
import { INSTALL_MS } from './rules.ts'

const RAIL = 'mtn_momo_cm'
const APPROVES = '+237 6 70 00 00 01'

const closers: (() => unknown)[] = []
let cells: Cells

beforeAll(async () => {
  cells = await openCells(closers)
}, INSTALL_MS)
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

/** The cells that had a request whose line of the log has this text. */
const cellsOf = (part: string) => [
  ...new Set(
    cells.requests
      .filter((line) => line.includes(part))
      .map((line) => cellNames.find((name) => line.includes(`${name}/1`))),
  ),
]

async function pay({ payments }: Cell): Promise<string> {
  const order = { amount: 5_000, currency: 'XAF', payment_method_types: [RAIL] } as const
  const { id } = await payments.paymentIntents.create(order)
  await payments.paymentIntents.confirm(id, { payment_method_data: { [RAIL]: { msisdn: APPROVES } } })
  await expect.poll(async () => (await payments.paymentIntents.retrieve(id)).status).toBe('succeeded')
  return id
}

test.each(cellNames)(
  'a merchant of %s is paid through the address of all cells, in its own',
  async (name) => {
    const cell = cells[name]
    const id = await pay(cell)
    await expect.poll(() => cellsOf(`POST /v1/payment_intents/${id}/confirm`)).toEqual([name])

    const intent = await cell.payments.paymentIntents.retrieve(id)
    const seen = await fetch(`${cells.everybody}/v1/browser/payment_intents/${id}`, {
      headers: { 'publishable-key': cell.publishableKey, 'client-secret': intent.client_secret ?? '' },
    })
    expect(await seen.json()).toMatchObject({ id, status: 'succeeded' })
    await expect.poll(() => cellsOf(`GET /v1/browser/payment_intents/${id}`)).toEqual([name])

    const bodies = () => cell.stack.webhook?.receiver.received().map(({ body }) => body)
    await expect.poll(bodies).toContainEqual(expect.stringContaining('"payment_intent.succeeded"'))
  },
)

test('a rail calls back at the cell’s own host', async () => {
  cells.requests.length = 0
  await pay(cells.cell_b)
  await expect.poll(() => cellsOf(`/provider/${RAIL}/callback`)).toEqual(['cell_b'])
})

test('a token is of its merchant’s cell, and another cell refuses it', async () => {
  const { clientId, privateKeyFile } = cells.cell_a
  const privateJwk = JSON.parse(await readFile(privateKeyFile, 'utf8'))
  const token = await fetchToken({ tokenUrl: `${cells.everybody}/v1/oauth/token`, clientId, privateJwk })
  const read = (host: string) =>
    fetch(`https://${host}:${cells.port}/v1/payment_intents`, {
      headers: { authorization: `Bearer ${token}` },
    })
  expect((await read(EVERYBODY)).status).toBe(200)
  expect((await read(HOSTS.cell_a)).status).toBe(200)
  expect((await read(HOSTS.cell_b)).status).toBe(401)
})

test('unknown merchants, malformed tokens and long forms are refused by a cell', async () => {
  const read = async (authorization: string) =>
    (await fetch(`${cells.everybody}/v1/payment_intents`, { headers: { authorization } })).status
  const nobody = Buffer.from('{"client_id":"nobody"}').toString('base64url')
  expect(await read(`Bearer e30.${nobody}.c2ln`)).toBe(401)
  expect(await read('Bearer not a token')).toBe(401)
  expect(await read('Bearer ..')).toBe(401)
  const form = new URLSearchParams({ client_id: 'x'.repeat(40_000) })
  const asked = await fetch(`${cells.everybody}/v1/oauth/token`, { method: 'POST', body: form })
  expect([400, 401, 413]).toContain(asked.status)
})

test('a merchant without a line in the map gets one by add map alone', async () => {
  const line = `map ${cells.folder}/clients.map newcomer cell_b`
  await expect(cells.tell(`set ${line}`)).rejects.toThrow('entry not found')
  await cells.tell(`add ${line}`)
  await cells.tell(`set ${line}`)
})

test('a merchant that moves gets answers to retry, and the SDK waits for the cell', async () => {
  const { clientId, payments } = cells.cell_a
  await pay(cells.cell_a)
  await cells.route(clientId, 'moving')
  cells.requests.length = 0
  const created = payments.customers.create({ name: 'Ada' })
  await expect
    .poll(() => cells.requests.filter((line) => line.includes(' 503 POST /v1/customers')).length)
    .toBeGreaterThan(0)
  // Other merchants sell.
  await pay(cells.cell_b)
  await cells.route(clientId, 'cell_a')
  expect(await created).toMatchObject({ object: 'customer', name: 'Ada' })
  const done = () => cells.requests.filter((line) => / 2\d\d POST \/v1\/customers/.test(line)).length
  await expect.poll(done).toBe(1)
})
