import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { cloneDatabase } from '@merchant-payments/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeKey, startApi } from './api-process.ts'

const run = promisify(execFile)
const mainOf = (app: string) => fileURLToPath(new URL(`../../${app}/start.mjs`, import.meta.url))
const key = makeKey('first')

const portOf = (listener: unknown): number =>
  typeof listener === 'string' ? Number(new URL(listener).port) : (listener as AddressInfo).port

async function takePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return portOf(server.address())
}

/** The text on stderr of an api that refuses its arguments. */
async function refusalOf(args: readonly string[]): Promise<string> {
  const api = await startApi(key, {}, {}, args)
  const { code, stderr } = await api.ended
  expect({ code, lines: api.lines }).toEqual({ code: 78, lines: [] })
  return stderr
}

describe.each(['api', 'worker'])('the %s', (app) => {
  test('lists its options and exit codes with --help', async () => {
    const { stdout, stderr } = await run(process.execPath, [mainOf(app), '--help'])
    expect(stderr).toBe('')
    for (const part of ['--internal-port', '--metrics-port', '--check', '69', '78']) {
      expect(stdout).toContain(part)
    }
    expect(stdout.includes('--port N')).toBe(app === 'api')
  })
})

test('arguments that the api does not have are refused with status 78', async () => {
  expect(await refusalOf(['--prot', '8081'])).toMatch(/^arguments: Unknown option '--prot'.*--help/s)
  expect(await refusalOf(['--port', 'http'])).toBe(
    'arguments: --port: must be a port from 0 to 65535 (--help lists the options)\n',
  )
  expect(await refusalOf(['other.yaml'])).toContain('there is one configuration file')
})

test('the worker has no --port', async () => {
  const refused = run(process.execPath, [mainOf('worker'), '--port', '8081'])
  await expect(refused).rejects.toMatchObject({
    code: 78,
    stderr: expect.stringContaining('no clients') as unknown,
  })
})

test('--check prints each fault, or that there is none, and opens nothing', async () => {
  const good = await startApi(key, {}, {}, ['--check'])
  expect(await good.ended).toEqual({ code: 0, stderr: '' })
  expect(good.lines).toEqual([
    { plain: expect.stringMatching(/deployment\.yaml has no faults\.$/) as unknown },
  ])
  const faulty = await startApi(key, { retention_days: 3, live_mode: true }, {}, ['--check'])
  const { code, stderr } = await faulty.ended
  expect(code).toBe(78)
  expect(stderr).toMatch(/^retention_days: .*\nlive_mode: is not a known key\n$/)
})

test('two replicas share a file, each at the ports of its arguments', async () => {
  const { appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  const changes = {
    database: { url: appUrl },
    listen: { port: await takePort() },
    internal_listen: { port: await takePort() },
    metrics: { port: await takePort() },
  }
  const args = ['--port', '0', '--internal-port', '0', '--metrics-port', '0']
  const replicas = await Promise.all([1, 2].map(() => startApi(key, changes, {}, args)))
  const ready = await Promise.all(replicas.map((api) => api.said('ready')))

  for (const { address, internal, metrics } of ready) {
    expect((await fetch(`${String(address)}/healthz`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${portOf(internal)}/readyz`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${portOf(metrics)}/metrics`)).status).toBe(200)
  }
})

test.each(['listen', 'internal_listen', 'metrics'])(
  'a port of %s that is in use is refused with status 69, in a line that names it',
  async (listener) => {
    const { appUrl, drop } = await cloneDatabase()
    onTestFinished(drop)
    const port = await takePort()
    const api = await startApi(key, { database: { url: appUrl }, [listener]: { port } })
    expect(await api.ended).toEqual({ code: 69, stderr: '' })
    expect(api.lines).toMatchObject([
      {
        level: 'fatal',
        msg: 'start refused',
        reason: 'port_in_use',
        hint: expect.stringContaining(`another process listens at 127.0.0.1, port ${port}`) as unknown,
      },
    ])
  },
)
