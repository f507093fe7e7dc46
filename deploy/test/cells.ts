import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { createMerchantPayments, type MerchantPayments } from '@merchant-payments/node-sdk'
import { type Stack, type StackOptions, startStack } from '@merchant-payments/stack'
import { cloneDatabase } from '@merchant-payments/testing'
import { requireProgram } from '@merchant-payments/testing/program'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { freePort } from '@merchant-payments/testing/listen'
import { expect } from 'vitest'
import { makeCertificate } from './certificate.ts'

const CONFIG = fileURLToPath(new URL('../cells/haproxy.cfg', import.meta.url))
const HAPROXY = 'haproxy'
/** 30 seconds, for a busy machine. */
const TRIES_MAX = 300
const TRY_EVERY_MS = 100
/** The clients' address and the cells' own. They stand for three host names. */
export const EVERYBODY = '127.0.0.1'
export const HOSTS = { cell_a: '127.0.0.2', cell_b: '127.0.0.3' } as const
type CellName = keyof typeof HOSTS
export const cellNames = ['cell_a', 'cell_b'] as const

export interface Cell
  extends Pick<Stack, 'clientId' | 'publishableKey' | 'privateKeyFile' | 'signingKeyFile'> {
  readonly stack: Stack
  readonly payments: MerchantPayments
  /** The owner's URL. */
  readonly databaseUrl: string
}

/** Two cells behind haproxy, each with a merchant that has the cell's name. */
export interface Cells extends Readonly<Record<CellName, Cell>> {
  readonly folder: string
  readonly port: number
  /** The address of all cells. */
  readonly everybody: string
  readonly adminSocket: string
  /** haproxy's log: client, status, method, path, times, backend and server of each request. */
  readonly requests: string[]
  /** Sends a command to haproxy. */
  tell(command: string): Promise<void>
  /** Sends the merchant's requests to another cell, or refuses them: `moving`. */
  route(clientId: string, to: CellName | 'moving'): Promise<void>
}

type Closers = (() => unknown)[]

/** Adds what closes each part to `closers`, also if a later part fails. */
export async function openCells(closers: Closers, options: StackOptions = {}): Promise<Cells> {
  requireProgram(HAPROXY)
  requireProgram('openssl')
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-cells-'))
  closers.push(() => rm(folder, { recursive: true }))
  const port = await freePort()
  const apis = { cell_a: await freePort(), cell_b: await freePort() }
  const ready = { cell_a: await freePort(), cell_b: await freePort() }
  const certificate = await makeCertificate(folder, 'IP:127.0.0.1,IP:127.0.0.2,IP:127.0.0.3')
  setDefaultCACertificates([...getCACertificates(), await readFile(certificate, 'utf8')])
  const everybody = `https://${EVERYBODY}:${port}`
  const place = { folder, port, everybody, closers, options }
  const cellA = await startCell(place, 'cell_a', { api: apis.cell_a, apiInternal: ready.cell_a })
  const cellB = await startCell(place, 'cell_b', { api: apis.cell_b, apiInternal: ready.cell_b }, cellA)
  const cells = { cell_a: cellA, cell_b: cellB }
  const requests: string[] = []
  await startEdge(place, cells, certificate, requests, {
    CELL_A_1: `${EVERYBODY}:${apis.cell_a}`,
    CELL_A_1_READY: `${EVERYBODY}:${ready.cell_a}`,
    CELL_B_1: `${EVERYBODY}:${apis.cell_b}`,
    CELL_B_1_READY: `${EVERYBODY}:${ready.cell_b}`,
  })
  const adminSocket = join(folder, 'admin.sock')
  const tell = async (command: string) => {
    const socket = createConnection(adminSocket)
    socket.end(`${command}\n`)
    expect((await text(socket)).trim()).toBe('')
  }
  const route = (clientId: string, to: CellName | 'moving') =>
    tell(`set map ${join(folder, 'clients.map')} ${clientId} ${to}`)
  return { ...cells, folder, port, everybody, adminSocket, requests, tell, route }
}

interface Place {
  readonly folder: string
  readonly port: number
  readonly everybody: string
  readonly closers: Closers
  readonly options: StackOptions
}

/** A whole system with a database of its own. A second one shares the first one's keys. */
async function startCell(
  { folder, port, everybody, closers, options }: Place,
  name: CellName,
  ports: { api: number; apiInternal: number },
  first?: Cell,
): Promise<Cell> {
  const dataDir = join(folder, name)
  await mkdir(dataDir)
  if (first !== undefined) {
    for (const file of ['signing-key.json', 'service-secrets.json'])
      await copyFile(join(folder, 'cell_a', file), join(dataDir, file))
  }
  const database = await cloneDatabase()
  closers.push(database.drop)
  const stack = await startStack({
    mockRailsSettings: { mtn: { autoApproveAfterMs: 100 } },
    ...options,
    dataDir,
    ports,
    databaseUrl: database.url,
    clientId: `shop_of_${name}`,
    publicUrl: everybody,
    callbackUrl: `https://${HOSTS[name]}:${port}`,
  })
  closers.push(() => stack.stop())
  const { clientId, privateKeyFile } = stack
  const payments = createMerchantPayments({
    baseUrl: everybody,
    clientId,
    privateKey: await readFile(privateKeyFile, 'utf8'),
    maxRetries: 8,
  })
  return { ...stack, stack, payments, databaseUrl: database.url }
}

async function startEdge(
  { folder, port, everybody, closers }: Place,
  cells: Record<CellName, Cell>,
  certificate: string,
  requests: string[],
  addresses: Record<string, string>,
): Promise<void> {
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
  const child = endWithThisProcess(
    spawn(HAPROXY, ['-db', '-f', CONFIG], {
      env: {
        PATH: process.env['PATH'],
        BIND: [EVERYBODY, ...Object.values(HOSTS)].map((host) => `${host}:${port}`).join(','),
        CERTIFICATE: certificate,
        MAPS: folder,
        ADMIN: join(folder, 'admin.sock'),
        ...addresses,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  createInterface({ input: child.stdout }).on('line', (line) => requests.push(line))
  const ended = once(child, 'close')
  closers.push(() => {
    child.kill('SIGTERM')
    return ended
  })
  await untilUp(everybody)
}

/** Waits until the service answers there. `expect.poll` cannot be used in hooks. */
export async function untilUp(address: string): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const isUp = await fetch(`${address}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await delay(TRY_EVERY_MS)
  }
  throw new Error(`nothing answers at ${address}`)
}
