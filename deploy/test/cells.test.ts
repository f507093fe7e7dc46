import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { createMerchantPayments, type MerchantPayments } from '@merchant-payments/node-sdk'
import { type Stack, startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { requireProgram } from '@merchant-payments/testing/program'
import { fetchToken } from '@merchant-payments/testing/token'
import getPort from 'get-port'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { makeCertificate } from './certificate.ts'
import { INSTALL_MS } from './rules.ts'

const CONFIG = fileURLToPath(new URL('../cells/haproxy.cfg', import.meta.url))
const HAPROXY = 'haproxy'
/** The clients' address and the cells' own. They stand for three host names. */
const EVERYBODY = '127.0.0.1'
const HOSTS = { cell_a: '127.0.0.2', cell_b: '127.0.0.3' } as const
type CellName = keyof typeof HOSTS
const cellNames = ['cell_a', 'cell_b'] as const

const RAIL = 'mtn_momo_cm'
const APPROVES = '+237 6 70 00 00 01'

interface Cell extends Pick<Stack, 'clientId' | 'publishableKey' | 'privateKeyFile' | 'signingKeyFile'> {
  readonly stack: Stack
  readonly payments: MerchantPayments
}

const closers: (() => unknown)[] = []
let port: number
let folder: string
let cells: Record<CellName, Cell>
/** haproxy's log: client, status, method, path, times, backend and server of each request. */
const requests: string[] = []

beforeAll(async () => {
  requireProgram(HAPROXY)
  requireProgram('openssl')
  folder = await mkdtemp(join(tmpdir(), 'merchant-payments-cells-'))
  closers.push(() => rm(folder, { recursive: true }))
  port = await getPort({ host: EVERYBODY })
  const apis = { cell_a: await getPort({ host: EVERYBODY }), cell_b: await getPort({ host: EVERYBODY }) }
  const ready = { cell_a: await getPort({ host: EVERYBODY }), cell_b: await getPort({ host: EVERYBODY }) }
  const certificate = await makeCertificate(folder, 'IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3')
  setDefaultCACertificates([...getCACertificates(), await readFile(certificate, 'utf8')])
  const start = (name: CellName, signingKeyFile?: string) =>
    startCell(name, { api: apis[name], apiInternal: ready[name] }, signingKeyFile)
  const cellA = await start('cell_a')
  cells = { cell_a: cellA, cell_b: await start('cell_b', cellA.signingKeyFile) }
  await startEdge(certificate, {
    CELL_A_1: `${EVERYBODY}:${apis.cell_a}`,
    CELL_A_1_READY: `${EVERYBODY}:${ready.cell_a}`,
    CELL_B_1: `${EVERYBODY}:${apis.cell_b}`,
    CELL_B_1_READY: `${EVERYBODY}:${ready.cell_b}`,
  })
}, INSTALL_MS)
afterAll(async () => {
  for (const close of closers.toReversed()) await close()
})

const everybody = () => `https://${EVERYBODY}:${port}`

/** A whole system with a database of its own, whose merchant has the cell's name. */
async function startCell(
  name: CellName,
  ports: { api: number; apiInternal: number },
  signingKeyFile?: string,
): Promise<Cell> {
  const dataDir = join(folder, name)
  await mkdir(dataDir)
  if (signingKeyFile !== undefined) await copyFile(signingKeyFile, join(dataDir, 'signing-key.json'))
  const database = await cloneDatabase()
  closers.push(database.drop)
  const stack = await startStack({
    dataDir,
    ports,
    databaseUrl: database.url,
    clientId: `shop_of_${name}`,
    publicUrl: everybody(),
    callbackUrl: `https://${HOSTS[name]}:${port}`,
    mockRailsSettings: { mtn: { autoApproveAfterMs: 100 } },
  })
  closers.push(() => stack.stop())
  const { clientId, privateKeyFile } = stack
  const payments = createMerchantPayments({
    baseUrl: everybody(),
    clientId,
    privateKey: await readFile(privateKeyFile, 'utf8'),
    maxRetries: 8,
  })
  return { ...stack, stack, payments }
}

async function startEdge(certificate: string, addresses: Record<string, string>): Promise<void> {
  const rows = (value: (name: CellName) => string) =>
    cellNames.map((name) => `${value(name)} ${name}\n`).join('')
  await writeFile(
    join(folder, 'clients.map'),
    rows((name) => cells[name].clientId),
  )
  await writeFile(
    join(folder, 'keys.map'),
    rows((name) => cells[name].publishableKey),
  )
  await writeFile(
    join(folder, 'hosts.map'),
    rows((name) => HOSTS[name]),
  )
  const child = spawn(HAPROXY, ['-db', '-f', CONFIG], {
    env: {
      PATH: process.env['PATH'],
      BIND: [EVERYBODY, ...Object.values(HOSTS)].map((host) => `${host}:${port}`).join(','),
      CERTIFICATE: certificate,
      MAPS: folder,
      ADMIN: join(folder, 'admin.sock'),
      ...addresses,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface({ input: child.stdout }).on('line', (line) => requests.push(line))
  const ended = once(child, 'close')
  closers.push(() => {
    child.kill('SIGTERM')
    return ended
  })
  await vi.waitFor(async () => expect((await fetch(`${everybody()}/healthz`)).ok).toBe(true), {
    timeout: 30_000,
  })
}

/** Sends the merchant's requests to another cell, or refuses them: `moving`. */
async function route(clientId: string, to: CellName | 'moving'): Promise<void> {
  const socket = createConnection(join(folder, 'admin.sock'))
  socket.end(`set map ${join(folder, 'clients.map')} ${clientId} ${to}\n`)
  expect((await text(socket)).trim()).toBe('')
}

/** The cells that had a request whose line of the log has this text. */
const cellsOf = (part: string) => [
  ...new Set(
    requests
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
    const seen = await fetch(`${everybody()}/v1/browser/payment_intents/${id}`, {
      headers: { 'publishable-key': cell.publishableKey, 'client-secret': intent.client_secret ?? '' },
    })
    expect(await seen.json()).toMatchObject({ id, status: 'succeeded' })
    await expect.poll(() => cellsOf(`GET /v1/browser/payment_intents/${id}`)).toEqual([name])

    const bodies = () => cell.stack.webhook?.receiver.received().map(({ body }) => body)
    await expect.poll(bodies).toContainEqual(expect.stringContaining('"payment_intent.succeeded"'))
  },
)

test('a rail calls back at the cell’s own host', async () => {
  requests.length = 0
  await pay(cells.cell_b)
  await expect.poll(() => cellsOf(`/provider/${RAIL}/callback`)).toEqual(['cell_b'])
})

test('a token is of its merchant’s cell, and another cell refuses it', async () => {
  const { clientId, privateKeyFile } = cells.cell_a
  const privateJwk = JSON.parse(await readFile(privateKeyFile, 'utf8'))
  const token = await fetchToken({ tokenUrl: `${everybody()}/v1/oauth/token`, clientId, privateJwk })
  const read = (host: string) =>
    fetch(`https://${host}:${port}/v1/payment_intents`, { headers: { authorization: `Bearer ${token}` } })
  expect((await read(EVERYBODY)).status).toBe(200)
  expect((await read(HOSTS.cell_a)).status).toBe(200)
  expect((await read(HOSTS.cell_b)).status).toBe(401)
})

test('unknown merchants, malformed tokens and long forms are refused by a cell', async () => {
  const read = async (authorization: string) =>
    (await fetch(`${everybody()}/v1/payment_intents`, { headers: { authorization } })).status
  const nobody = Buffer.from('{"client_id":"nobody"}').toString('base64url')
  expect(await read(`Bearer e30.${nobody}.c2ln`)).toBe(401)
  expect(await read('Bearer not a token')).toBe(401)
  expect(await read('Bearer ..')).toBe(401)
  const form = new URLSearchParams({ client_id: 'x'.repeat(40_000) })
  const asked = await fetch(`${everybody()}/v1/oauth/token`, { method: 'POST', body: form })
  expect([400, 401, 413]).toContain(asked.status)
})

test('a merchant that moves gets answers to retry, and the SDK waits for the cell', async () => {
  const { clientId, payments } = cells.cell_a
  await pay(cells.cell_a)
  await route(clientId, 'moving')
  requests.length = 0
  const created = payments.customers.create({ name: 'Ada' })
  await expect
    .poll(() => requests.filter((line) => line.includes(' 503 POST /v1/customers')).length)
    .toBeGreaterThan(0)
  // Other merchants sell.
  await pay(cells.cell_b)
  await route(clientId, 'cell_a')
  expect(await created).toMatchObject({ object: 'customer', name: 'Ada' })
  const done = () => requests.filter((line) => / 2\d\d POST \/v1\/customers/.test(line)).length
  await expect.poll(done).toBe(1)
})
