import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { migrate } from '@merchant-payments/db'
import { startPostgres } from '@merchant-payments/postgres'
import { freePort, listen } from '@merchant-payments/testing/listen'
import { requireProgram } from '@merchant-payments/testing/program'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { fetchToken } from '@merchant-payments/testing/token'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import pg from 'pg'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from './certificate.ts'
import { INSTALL_MS } from './rules.ts'
import { startUnit } from './start-unit.ts'

const CONFIG = fileURLToPath(new URL('../haproxy.cfg', import.meta.url))
const CELLS_CONFIG = fileURLToPath(new URL('../cells/haproxy.cfg', import.meta.url))
const HOST = '127.0.0.1'
const MERCHANT = 'shop'
const HAPROXY = 'haproxy'
/** The bounds of haproxy.cfg on requests in ten seconds, and those of a test, which a busy machine reaches in time. */
const fewerRequests = [
  ['ge 40 }', 'ge 20 }'],
  ['ge 200 }', 'ge 40 }'],
  ['ge 1000 }', 'ge 50 }'],
  ['ge 4000 }', 'ge 60 }'],
  ['ge 5000 }', 'ge 70 }'],
] as const
/** A test's bounds: of sign-ins, of a link and of strangers, of staff, of payers and of rails. */
const [SIGN_INS_MAX, REQUESTS_MAX, STAFF_MAX, PAYERS_MAX, CALLBACKS_MAX] = [20, 40, 50, 60, 70]
/** The same for connections of the whole process, of its clients and of one of their addresses. */
const fewerConnections = [
  ['maxconn 8192', 'maxconn 82'],
  ['maxconn 7000', 'maxconn 70'],
  ['gt 4000', 'gt 40'],
] as const
/** More than haproxy takes from everybody together, in the test. */
const IDLE = 100
/** More than the checks that haproxy makes before it knows a server's state. */
const CHECKS_MIN = 8
/** An api waits a second for its database before it says that it is not ready. */
const SLOW_READY_MS = 900
/** More than haproxy's time between two checks of PostgreSQL, as on a machine whose processor is busy. */
const SLOW_CHECK_MS = 500
/** In place of the 15 s of haproxy.cfg. */
const HEADERS_TIMEOUT_MS = 200
/** In place of the 30 s of haproxy.cfg. */
const CLIENT_TIMEOUT_MS = 500
/** What the api announces. */
const ANNOUNCED_MS = 72_000
/** In place of the minute of haproxy.cfg. */
const SERVER_TIMEOUT_MS = 500
/** At least so many requests while an api stops and after it. */
const CREATES_MIN = 20

beforeAll(() => {
  requireProgram(HAPROXY)
  requireProgram('openssl')
}, INSTALL_MS)

interface Answer {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

interface AskOptions {
  readonly method?: string
  readonly headers?: object
  readonly body?: string
  /** An address of IPv6 that the connection names as the client's, for an haproxy that accepts it. */
  readonly from?: string
}
type Ask = (path: string, options?: AskOptions) => Promise<Answer>

interface Addresses {
  readonly API_A: string
  readonly API_A_READY: string
  readonly API_B: string
  readonly API_B_READY: string
  readonly POSTGRES_A: string
  readonly POSTGRES_B: string
}

/** A port that no program may take: haproxy.cfg names ports on which others of this machine may listen. */
const NOWHERE = `${HOST}:1`
const nowhere: Addresses = {
  API_A: NOWHERE,
  API_A_READY: NOWHERE,
  API_B: NOWHERE,
  API_B_READY: NOWHERE,
  POSTGRES_A: NOWHERE,
  POSTGRES_B: NOWHERE,
}

/** haproxy with the configuration of this folder, at these addresses. */
async function startHaproxy(addresses: Partial<Addresses>, config = CONFIG) {
  const [tlsPort, databasePort] = [await freePort(), await freePort()]
  const folder = await testFolder()
  const certificate = await makeCertificate(folder)
  const stats = join(folder, 'stats.sock')
  const child = endWithThisProcess(
    spawn(HAPROXY, ['-db', '-f', config], {
      env: {
        PATH: process.env['PATH'],
        BIND: `${HOST}:${tlsPort}`,
        CERTIFICATE: certificate,
        DATABASE: `${HOST}:${databasePort}`,
        STATS: stats,
        ...nowhere,
        ...addresses,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const [log, complaints] = [text(child.stdout), text(child.stderr)]
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    return { log: await log, complaints: await complaints }
  }
  onTestFinished(async () => void (await stop()))
  const ca = await readFile(certificate)
  const connectAs = (client: string) => () => {
    const socket = connect(tlsPort, HOST)
    socket.write(`PROXY TCP6 ${client} 2001:db8:ffff::1 40000 443\r\n`)
    return connectTls({ socket, servername: 'localhost', ca })
  }
  const ask: Ask = (path, { method = 'GET', headers = {}, body = '', from } = {}) =>
    new Promise((resolve, reject) => {
      const connection = from === undefined ? {} : { createConnection: connectAs(from) }
      const options = { host: HOST, port: tlsPort, servername: 'localhost', ca, method, path, ...connection }
      const sent = request({ ...options, headers: { ...headers } }, (response) => {
        text(response).then(
          (answer) => resolve({ status: response.statusCode, headers: response.headers, body: answer }),
          reject,
        )
      })
      sent.on('error', reject).end(body)
    })
  const open = () => connectTls({ host: HOST, port: tlsPort, servername: 'localhost', ca })
  const openPlain = async (localAddress: string) => {
    const socket = connect({ host: HOST, port: tlsPort, localAddress })
    onTestFinished(() => void socket.destroy())
    await new Promise((resolve) => socket.on('connect', resolve).on('close', resolve).on('error', resolve))
    return socket
  }
  /** Opens connections from an address of this machine, one after the other, which send nothing. haproxy may end them. */
  const openIdle = async (localAddress: string, count: number) => {
    for (let n = 0; n < count; n += 1) await openPlain(localAddress)
  }
  /** Sends a command to haproxy's socket. */
  const tell = (command: string) => text(connect(stats).end(`${command}\n`))
  const databaseUrl = `postgres://postgres@${HOST}:${databasePort}/postgres`
  return { ask, open, openPlain, openIdle, tell, databaseUrl, stop }
}

/** A server with the role of haproxy's check. `standby`: it follows nobody, so it stays as it is until it is promoted. */
async function startDatabase(kind: 'primary' | 'standby', log: (line: string) => void = () => {}) {
  const settings = { fsync: 'off', log_connections: 'on' }
  const dataDir = await testFolder()
  let server = await startPostgres({ dataDir, settings, log })
  await run(server.url, 'create role haproxy login connection limit 4')
  if (kind === 'standby') {
    await server.stop()
    await writeFile(join(server.dataDir, 'cluster', 'standby.signal'), '')
    server = await startPostgres({ dataDir, settings, log })
  }
  onTestFinished(() => server.stop())
  return server
}

async function run(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

/** The port of the server that haproxy chose, or null. */
const chosen = (url: string) =>
  run(url, 'select inet_server_port() as port').then(
    ([row]) => row?.['port'],
    () => null,
  )

test('haproxy.cfg is valid', async () => {
  const CERTIFICATE = await makeCertificate(await testFolder())
  const checked = promisify(execFile)(HAPROXY, ['-c', '-f', CONFIG], {
    env: { PATH: process.env['PATH'], CERTIFICATE },
  })
  await expect(checked).resolves.toMatchObject({ stdout: 'Configuration file is valid\n', stderr: '' })
})

test('connections to PostgreSQL reach the server that takes writes, also after a failover', async () => {
  const [primary, standby] = [await startDatabase('primary'), await startDatabase('standby')]
  const haproxy = await startHaproxy({
    POSTGRES_A: `${HOST}:${standby.port}`,
    POSTGRES_B: `${HOST}:${primary.port}`,
  })
  const chosenOfMany = async () =>
    new Set(await Promise.all(Array.from({ length: 8 }, () => chosen(haproxy.databaseUrl))))
  await expect.poll(chosenOfMany).toEqual(new Set([primary.port]))

  await primary.stop()
  await expect.poll(() => chosen(haproxy.databaseUrl)).toBe(null)
  await run(standby.url, 'select pg_promote()')
  await expect.poll(() => chosen(haproxy.databaseUrl)).toBe(standby.port)
  await run(haproxy.databaseUrl, 'create table written ()')
})

test('PostgreSQL logs no broken connection for the checks, neither as a primary nor as a standby', async () => {
  const [atPrimary, atStandby]: [string[], string[]] = [[], []]
  const primary = await startDatabase('primary', (line) => atPrimary.push(line))
  const standby = await startDatabase('standby', (line) => atStandby.push(line))
  await startHaproxy({ POSTGRES_A: `${HOST}:${primary.port}`, POSTGRES_B: `${HOST}:${standby.port}` })
  for (const lines of [atPrimary, atStandby]) {
    const checks = () => lines.filter((line) => line.includes('connection authorized: user=haproxy')).length
    await expect.poll(checks).toBeGreaterThanOrEqual(CHECKS_MIN)
    expect(lines.filter((line) => line.includes('could not receive data from client'))).toEqual([])
  }
})

test('a server that answers checks slowly stays in the choice and keeps its connections', async () => {
  const primary = await startDatabase('primary')
  const probe = { checks: 0 }
  const slow = createTcpServer((near) => {
    probe.checks += 1
    const far = connect(primary.port, HOST)
    near.pipe(far)
    far.on('data', (bytes) => setTimeout(() => near.write(bytes), SLOW_CHECK_MS))
    far.on('close', () => setTimeout(() => near.destroy(), SLOW_CHECK_MS))
    for (const socket of [near, far]) socket.on('error', () => undefined)
  })
  const haproxy = await startHaproxy({ POSTGRES_A: `${HOST}:${await listen(slow)}` })
  await expect.poll(() => chosen(haproxy.databaseUrl)).toBe(primary.port)
  const client = new pg.Client({ connectionString: haproxy.databaseUrl })
  const faults: unknown[] = []
  client.on('error', (fault) => faults.push(fault))
  onTestFinished(() => client.end())
  await client.connect()
  const enough = probe.checks + CHECKS_MIN
  while (probe.checks < enough) await client.query('select 1')
  expect(faults).toEqual([])
})

test('an api stays in the choice while its database answers slowly', async () => {
  const probe = { checks: 0 }
  const serve = async (answerAfterMs: number) => {
    const server = createServer((_request, response) => {
      if (answerAfterMs > 0) probe.checks += 1
      setTimeout(() => response.end('{}'), answerAfterMs)
    })
    return `${HOST}:${await listen(server)}`
  }
  const haproxy = await startHaproxy({ API_A: await serve(0), API_A_READY: await serve(SLOW_READY_MS) })
  await expect.poll(() => haproxy.ask('/healthz').then(({ status }) => status)).toBe(200)
  const statuses = new Set<number | undefined>()
  const headers = { authorization: 'Bearer of a merchant' }
  while (probe.checks < CHECKS_MIN) statuses.add((await haproxy.ask('/v1/customers', { headers })).status)
  expect([...statuses]).toEqual([200])
})

async function configWith(...changes: readonly (readonly [text: string, changed: string])[]) {
  let config = await readFile(CONFIG, 'utf8')
  for (const [text, changed] of changes) {
    expect(config).toContain(text)
    config = config.replaceAll(text, changed)
  }
  const file = join(await testFolder(), 'haproxy.cfg')
  await writeFile(file, config)
  return file
}

test('a file of the dashboard may send nothing for longer than another answer', async () => {
  const config = await configWith(
    ['timeout client 30s', `timeout client ${CLIENT_TIMEOUT_MS}ms`],
    ['timeout server 60s', `timeout server ${SERVER_TIMEOUT_MS}ms`],
  )
  const server = createServer((_request, response) => {
    response.write('first,')
    setTimeout(() => response.end('last'), 3 * SERVER_TIMEOUT_MS)
  })
  const ready = createServer((_request, response) => response.end())
  const { ask } = await startHaproxy(
    { API_A: `${HOST}:${await listen(server)}`, API_A_READY: `${HOST}:${await listen(ready)}` },
    config,
  )
  const file = () => ask('/dash/v1/exports/one').then(({ body }) => body)
  await expect.poll(file).toBe('first,last')
  await expect(ask('/dash/v1/me')).rejects.toThrow('aborted')
})

test('each backend of several cells gives a file the same time', async () => {
  const timesIn = async (config: string) =>
    (await readFile(config, 'utf8')).split('\n').filter((line) => line.includes('set-timeout'))
  const [time] = await timesIn(CONFIG)
  expect(await timesIn(CELLS_CONFIG)).toEqual([time, time])
})

test('a connection without whole headers is closed without an answer', async () => {
  const config = await configWith([
    'timeout http-request 15s',
    `timeout http-request ${HEADERS_TIMEOUT_MS}ms`,
  ])
  const { ask, open } = await startHaproxy({}, config)
  await expect.poll(() => ask('/healthz').catch(() => null)).not.toBe(null)
  for (const bytes of ['', 'POST /v1/refunds HTTP/1.1\r\nhost: a\r\n']) {
    const socket = open()
    socket.write(bytes)
    expect(await text(socket)).toBe('')
  }
})

test('a connection that never begins TLS is closed', async () => {
  const config = await configWith(['timeout client 30s', `timeout client ${CLIENT_TIMEOUT_MS}ms`])
  const { ask, openPlain } = await startHaproxy({}, config)
  await expect.poll(() => ask('/healthz').catch(() => null)).not.toBe(null)
  expect(await text(await openPlain(HOST))).toBe('')
})

test('a client hears of a shorter time between requests than haproxy waits for one', async () => {
  const [, waitsSec] = /timeout http-keep-alive (\d+)s/.exec(await readFile(CONFIG, 'utf8')) ?? []
  const api = createServer((_request, response) => response.end())
  api.keepAliveTimeout = ANNOUNCED_MS
  const address = `${HOST}:${await listen(api)}`
  const { ask } = await startHaproxy({ API_A: address, API_A_READY: address })
  await expect.poll(async () => (await ask('/healthz')).status).toBe(200)
  const [, announcedSec] = /^timeout=(\d+)$/.exec(String((await ask('/healthz')).headers['keep-alive'])) ?? []
  expect(Number(announcedSec)).toBeLessThan(Number(waitsSec))
})

describe('idle connections', () => {
  test('of one address leave room for other addresses, and haproxy shows who has many', async () => {
    const { ask, openIdle, tell } = await startHaproxy({}, await configWith(...fewerConnections))
    // Each takes a connection of its own.
    const alone = { headers: { connection: 'close' } }
    await expect.poll(() => ask('/healthz', alone).catch(() => null)).not.toBe(null)
    await openIdle('127.0.0.88', IDLE)
    expect((await ask('/healthz', alone)).status).toBe(503)
    expect(await tell('show table connections data.conn_cur gt 30')).toContain('key=::ffff:127.0.0.88 ')
    expect(await tell('show stat clients 1 -1 typed')).toMatch(/\.dcon\.1:\w+:u64:[1-9]/)
  })

  test('of many addresses leave room for connections to PostgreSQL', async () => {
    const primary = await startDatabase('primary')
    const server = `${HOST}:${primary.port}`
    const { databaseUrl, openIdle } = await startHaproxy(
      { POSTGRES_A: server, POSTGRES_B: server },
      await configWith(...fewerConnections),
    )
    await expect.poll(() => chosen(databaseUrl)).toBe(primary.port)
    for (let last = 1; last <= 5; last += 1) await openIdle(`127.0.0.${last}`, IDLE / 5)
    for (let n = 0; n < 8; n += 1) expect(await chosen(databaseUrl)).toBe(primary.port)
  })
})

describe('the rate', () => {
  const callback = '/provider/mtn_momo_cm/callback'
  const ofLink = (link: string): AskOptions => ({ headers: { 'client-secret': link } })

  async function startBounded(
    changes: readonly (readonly [string, string])[] = fewerRequests,
    first?: AskOptions,
  ) {
    const { ask } = await startHaproxy({}, await configWith(...changes))
    await expect.poll(() => ask('/v1/oauth/token', first).catch(() => null)).not.toBe(null)
    const isBounded = async (path: string, options?: AskOptions) =>
      (await ask(path, options)).headers['retry-after'] === '10'
    const boundedOf = async (paths: readonly string[]) => {
      const bounded = await Promise.all(paths.map((path) => isBounded(path)))
      return paths.filter((_, n) => bounded[n])
    }
    /** How many requests pass of twice as many as may. */
    const passing = async (path: string, max: number, options: (n: number) => AskOptions = () => ({})) => {
      const answers = Array.from({ length: 2 * max }, (_, n) => isBounded(path, options(n)))
      return (await Promise.all(answers)).filter((bounded) => !bounded).length
    }
    return { ask, isBounded, boundedOf, passing }
  }
  const isMost = (max: number) => expect.toSatisfy((passed: number) => passed >= max && passed < 2 * max)

  test('of a link is bounded, and its refused requests leave those of its address to others', async () => {
    const { isBounded, passing } = await startBounded()
    expect(await passing('/v1/browser/none', REQUESTS_MAX, () => ofLink('one'))).toEqual(isMost(REQUESTS_MAX))
    expect(await passing('/v1/browser/none', PAYERS_MAX, () => ofLink('one'))).toBe(0)
    expect(await isBounded('/v1/browser/none', ofLink('other'))).toBe(false)
    expect(await isBounded('/c/cs_other')).toBe(false)
  })

  test('of an address is bounded however many links it invents, for payers alone', async () => {
    const { boundedOf, passing } = await startBounded()
    const invented = (n: number) => ofLink(`invented ${n}`)
    expect(await passing('/v1/browser/none', PAYERS_MAX, invented)).toEqual(isMost(PAYERS_MAX))
    const ofPayers = ['/c/cs_one', '/c/assets/a.js', '/v1/%62rowser/none', '/v1/browser/%']
    expect(await boundedOf([...ofPayers, '/dash/', callback, '/healthz'])).toEqual(ofPayers)
  })

  test('of each path that is not named is bounded, and not that of /v1 with any credential', async () => {
    const { isBounded, boundedOf, passing } = await startBounded()
    expect(await passing('/openapi/dash.json', REQUESTS_MAX)).toEqual(isMost(REQUESTS_MAX))
    const ofStrangers = ['/reference/', '/healthz', '/v1/customers', '/v1/oauth/jwks', '/none']
    expect(await boundedOf(ofStrangers)).toEqual(ofStrangers)
    const headers = { authorization: 'Bearer of a merchant' }
    expect(await passing('/v1/customers', REQUESTS_MAX, () => ({ headers }))).toBe(2 * REQUESTS_MAX)
    expect(await isBounded('/v1/oauth/token', { method: 'POST' })).toBe(false)
    expect(await isBounded('/openapi/dash.json', { headers })).toBe(true)
  })

  test('has a bound of its own for rails', async () => {
    const { isBounded, passing } = await startBounded()
    expect(await passing(callback, CALLBACKS_MAX)).toEqual(isMost(CALLBACKS_MAX))
    expect(await isBounded(callback.replace('p', '%70'))).toBe(true)
    expect(await isBounded('/v1/browser/none')).toBe(false)
  })

  test('has a bound of its own for staff', async () => {
    const { isBounded, passing } = await startBounded()
    expect(await passing('/dash/v1/me', STAFF_MAX)).toEqual(isMost(STAFF_MAX))
    expect(await isBounded('/%64ash/v1/me')).toBe(true)
    expect(await isBounded('/v1/browser/none')).toBe(false)
  })

  test('is bounded more for sign-ins, which leave the other paths of staff open', async () => {
    const { isBounded, passing } = await startBounded()
    expect(await passing('/dash/v1/callback?code=x&state=y', SIGN_INS_MAX)).toEqual(isMost(SIGN_INS_MAX))
    expect(await isBounded('/dash/v1/sign_in')).toBe(true)
    expect(await isBounded('/dash/v1/%73ign_in')).toBe(true)
    expect(await isBounded('/dash/v1/sign_out')).toBe(false)
  })

  test('is that of a whole /64 network of IPv6', async () => {
    const { isBounded, passing } = await startBounded(
      [...fewerRequests, ['alpn h2,http/1.1', 'accept-proxy']],
      {
        from: '2001:db8:0:2::1',
      },
    )
    const from = (n: number) => ({ from: `2001:db8::${n}` })
    expect(await passing('/dash/v1/me', STAFF_MAX, from)).toEqual(isMost(STAFF_MAX))
    expect(await isBounded('/dash/v1/me', { from: '2001:db8:0:1::1' })).toBe(false)
  })

  test('of a page is that of its link, and a person gets a page in both languages that asks again', async () => {
    const { ask, isBounded, passing } = await startBounded()
    expect(await passing('/c/cs_one', REQUESTS_MAX)).toEqual(isMost(REQUESTS_MAX))
    expect(await isBounded('/c/cs_other')).toBe(false)
    const page = await ask('/c/cs_one', { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8'])
    expect(page.body).toContain('<html lang="fr">')
    expect(page.body).toContain('<p lang="en">')
    expect(page.body).toContain('location.reload()')
    const script = await ask('/c/cs_one', { headers: { accept: '*/*' } })
    expect([script.status, script.headers['compat-should-retry']]).toEqual([503, 'true'])
    expect(JSON.parse(script.body)).toMatchObject({ error: { code: 'service_unavailable' } })
  })
})

test('clients have the same rules before several cells', async () => {
  const rulesOf = async (config: string) => {
    const lines = (await readFile(config, 'utf8')).split('\n')
    const after = lines.slice(lines.indexOf('frontend clients') + 1)
    const clients = after.slice(
      0,
      after.findIndex((line) => line.includes('default_backend')),
    )
    const isRule = (line: string) => !/^ *(?:#|$)|mode http/.test(line)
    const ofTables = /^backend (?:connections|rate_of)|^ +(?:stick-table|maxconn)/
    return { clients: clients.filter(isRule), tables: lines.filter((line) => ofTables.test(line)) }
  }
  const one = await rulesOf(CONFIG)
  const cells = await rulesOf(CELLS_CONFIG)
  expect(one.clients).toContainEqual(expect.stringContaining('rate_of_links'))
  expect(cells.clients.slice(0, one.clients.length)).toEqual(one.clients)
  expect(cells.tables).toEqual(one.tables)
})

describe('two apis behind TLS', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const ports = async () => [await freePort(), await freePort()] as const

  async function startApi(listen: number, ready: number, publicPort: number, databaseUrl: string) {
    const { privateKey: key } = signingKey
    const api = await startUnit(
      'merchant-payments-api.service',
      {
        DATABASE_URL: databaseUrl,
        SIGNING_KEY: String(key.export({ type: 'pkcs8', format: 'pem' })),
        CLIENT_SECRET_KEY_1: 'k'.repeat(32),
      },
      {
        public_base_url: `http://${HOST}:${publicPort}`,
        listen: { port: listen },
        internal_listen: { port: ready },
        merchant_clients: [merchant],
      },
    )
    // As systemctl does: it returns once the unit has started.
    const codes = await api.startPost(`http://${HOST}:${ready}/readyz`)
    if (codes.some((code) => code !== 0)) throw new Error(`the api did not start: ${api.lines.join('\n')}`)
    return api
  }
  const signingKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const merchant = {
    client_id: MERCHANT,
    name: 'Shop',
    jwks: { keys: [publicKey.export({ format: 'jwk' })] },
    scopes: ['payments:read', 'payments:write'],
    audiences: ['service:v1'],
    publishable_key: 'pk_shop',
    webhooks: [],
  }

  /** haproxy before two apis, and a merchant that creates customers. */
  async function startBoth() {
    const database = await startDatabase('primary')
    await migrate(database.url)
    const [[a, aReady], [b, bReady]] = [await ports(), await ports()]
    const haproxy = await startHaproxy({
      API_A: `${HOST}:${a}`,
      API_A_READY: `${HOST}:${aReady}`,
      API_B: `${HOST}:${b}`,
      API_B_READY: `${HOST}:${bReady}`,
      POSTGRES_A: `${HOST}:${database.port}`,
    })
    await expect.poll(() => chosen(haproxy.databaseUrl)).toBe(database.port)
    const startA = () => startApi(a, aReady, a, haproxy.databaseUrl)
    const startB = () => startApi(b, bReady, a, haproxy.databaseUrl)
    const [apiA, apiB] = [await startA(), await startB()]
    await expect.poll(async () => (await haproxy.ask('/healthz')).status).toBe(200)
    const token = await fetchToken({
      tokenUrl: `http://${HOST}:${a}/v1/oauth/token`,
      clientId: MERCHANT,
      privateJwk: privateKey.export({ format: 'jwk' }),
    })
    const create = (key: string) =>
      haproxy.ask('/v1/customers?secret=canary', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': key,
        },
        body: 'name=Ada',
      })
    return { haproxy, apiA, apiB, startA, startB, create }
  }

  test('answer one after the other, lose nothing while one stops, and are told of as away', async () => {
    const { haproxy, apiA, apiB, create } = await startBoth()
    const created = await create('first')
    expect(JSON.parse(created.body)).toMatchObject({ object: 'customer', name: 'Ada' })
    expect(created.headers['strict-transport-security']).toMatch(/^max-age=\d+/)

    apiA.stop()
    const statuses = new Set<number | undefined>()
    const stopped = new AbortController()
    void apiA.ended.then(() => stopped.abort())
    for (let n = 0; !stopped.signal.aborted || n < CREATES_MIN; n += 1) {
      statuses.add((await create(`while stopping ${n}`)).status)
    }
    expect([...statuses]).toEqual([created.status])

    apiB.stop()
    await apiB.ended
    const away = await create('away')
    expect([away.status, away.headers['compat-should-retry']]).toEqual([503, 'true'])
    expect(JSON.parse(away.body)).toMatchObject({ error: { type: 'api_error', code: 'service_unavailable' } })
    const { log } = await haproxy.stop()
    expect(log).toContain('POST /v1/customers')
    expect(log).not.toContain('canary')
  })

  test('are restarted one right after the other, as systemctl does, and no request fails', async () => {
    const { apiA, apiB, startA, startB, create } = await startBoth()
    const restarted = new AbortController()
    const restarts = async () => {
      for (const [api, startAgain] of [
        [apiA, startA],
        [apiB, startB],
      ] as const) {
        api.stop()
        await api.ended
        await startAgain()
      }
    }
    const ending = restarts().finally(() => restarted.abort())
    const statuses = new Set<number | undefined>()
    for (let n = 0; !restarted.signal.aborted; n += 1) statuses.add((await create(`request ${n}`)).status)
    await ending
    expect([...statuses]).toEqual([200])
  })
})
