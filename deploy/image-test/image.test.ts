import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ensureAppLogin } from '@merchant-payments/db'
import { DEFAULT_SETTINGS, startMockRails } from '@merchant-payments/mock-rails'
import { createMerchantPayments } from '@merchant-payments/node-sdk'
import { startPostgres } from '@merchant-payments/postgres'
import { freePort } from '@merchant-payments/testing/listen'
import { dump } from 'js-yaml'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildImage, enterScript, type ImageConfig, whyNotHere } from './buildah.ts'

const HOST = '127.0.0.1'
const RAIL = 'mtn_momo_cm'
/** The mock rail's payer of this number approves. */
const APPROVES = '+237670000001'
const VERSION = '0.0.0-test'
/** A first build fetches every package. */
const BUILD_MAX_MS = 900_000
/** With Node, 120 MB. A package that nothing needs in production shows here. */
const IMAGE_BYTES_MAX = 250e6
const USER = 10_001

describe('the image', () => {
  /** Why this machine cannot build it, or null. */
  let reason: string | null
  let folder: string
  let config: ImageConfig
  const closers: (() => unknown)[] = []

  beforeAll(async () => {
    reason = await whyNotHere()
    if (reason !== null) return
    const image = await buildImage({ VERSION })
    closers.push(image.remove)
    ;({ folder, config } = image)
  }, BUILD_MAX_MS)
  beforeEach(({ skip }) => {
    if (reason !== null) skip(reason)
  })
  afterAll(async () => {
    if (reason !== null) console.warn(`The image was not tested here: ${reason}`)
    for (const close of closers.toReversed()) await close()
  })

  test('has its labels, a numeric user and the folder of the service', () => {
    expect(config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Merchant Payments',
      'org.opencontainers.image.version': VERSION,
    })
    expect([config.User, config.WorkingDir]).toEqual([`${USER}:${USER}`, '/app'])
  })

  test('has no program but Node and its own, so no shell and no package manager', async () => {
    const files = await filesOf(folder)
    const programs = files.filter(({ path, mode }) => (mode & 0o111) !== 0 && !/\.so[.\d]*$/.test(path))
    const own = programs.map(({ path }) => path).filter((path) => !path.startsWith('/app/node_modules/'))
    const commands = ['api', 'archive', 'healthcheck', 'migrate', 'worker'].map(
      (name) => `/app/deploy/image/bin/${name}`,
    )
    expect(own.toSorted()).toEqual([...commands, '/usr/local/bin/node'])
  })

  test('has no file that its user may write, and none that runs as another user', async () => {
    const files = await filesOf(folder)
    expect(files.filter(({ uid, gid, mode }) => uid !== 0 || gid !== 0 || (mode & 0o6002) !== 0)).toEqual([])
  })

  test('has the production packages that the SBOM lists, no other, and no test', async () => {
    const files = await filesOf(folder)
    expect(await packagesOf(folder)).toEqual(await listedPackages())
    expect(files.filter(({ path }) => /^\/app\/(?!node_modules).*\.test(?:-d)?\.ts$/.test(path))).toEqual([])
  })

  test(`has less than ${IMAGE_BYTES_MAX / 1e6} MB`, async () => {
    const bytes = (await filesOf(folder)).reduce((sum, { size }) => sum + size, 0)
    console.log(`The image has ${Math.round(bytes / 1e6)} MB.`)
    expect(bytes).toBeLessThan(IMAGE_BYTES_MAX)
  })

  describe('migrates, and takes a payment', () => {
    let deployment: Deployment
    beforeAll(async () => {
      if (reason === null) deployment = await prepare(closers)
    })

    const start = (command: readonly string[], extraEnv: Record<string, string> = {}) => {
      const started = enter({ folder, config, deployment, command, extraEnv })
      closers.push(started.kill)
      return started
    }

    test('on a read-only file system, as its user, without rights', async () => {
      const migrated = start(['migrate', 'up', 'expand'])
      expect(await migrated.ended).toEqual([0, null])
      expect(migrated.lines.at(-1)).toBe('The expand phase is done.')
      await deployment.writeSecret('DATABASE_URL', await ensureAppLogin(deployment.ownerUrl, 'image_test'))

      const api = start(config.Cmd)
      const worker = start(['worker'], { HEALTH_URL: `http://${HOST}:${deployment.ports.worker}/healthz` })
      for (const { lines } of [api, worker]) await expect.poll(() => lines.some(isReady)).toBe(true)
      for (const { pid } of [api, worker]) {
        expect(await rightsOf(pid)).toEqual({
          Uid: USER,
          Gid: USER,
          Groups: '',
          CapEff: '0000000000000000',
          root: 'ro',
        })
      }

      const { paymentIntents } = createMerchantPayments({
        baseUrl: deployment.baseUrl,
        clientId: deployment.clientId,
        privateKey: deployment.privateKey,
      })
      const { id } = await paymentIntents.create({
        amount: 500,
        currency: 'XAF',
        payment_method_types: [RAIL],
      })
      await paymentIntents.confirm(id, { payment_method_data: { [RAIL]: { msisdn: APPROVES } } })
      await expect.poll(async () => (await paymentIntents.retrieve(id)).status).toBe('succeeded')
      const page = await fetch(`${deployment.baseUrl}/c/`)
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        expect.stringContaining('text/html'),
      ])
      for (const { pid } of [api, worker])
        console.log(`A process of the image has ${await residentMb(pid)} MB.`)

      const check = async () => {
        const [kind, ...command] = config.Healthcheck.Test
        expect(kind).toBe('CMD')
        return start(command, { HEALTH_URL: `http://${HOST}:${deployment.ports.api}/healthz` }).ended
      }
      expect(await check()).toEqual([0, null])
      for (const { stop, ended } of [api, worker]) {
        stop()
        expect(await ended).toEqual([0, null])
      }
      expect(await check()).toEqual([1, null])
    })
  })
})

const isReady = (line: string): boolean => line.includes('"msg":"ready"')

interface Entered {
  readonly pid: number
  readonly lines: readonly string[]
  readonly ended: Promise<unknown[]>
  readonly stop: () => void
  readonly kill: () => Promise<unknown>
}

interface Entry {
  readonly folder: string
  readonly config: ImageConfig
  readonly deployment: Deployment
  readonly command: readonly string[]
  readonly extraEnv: Readonly<Record<string, string>>
}

/** Starts a command of the image as a container runtime would. */
function enter({ folder, config, deployment, command, extraEnv }: Entry): Entered {
  const [uid = '', gid = ''] = config.User.split(':')
  const place = [folder, deployment.configFolder, deployment.secretsFolder, uid, gid, config.WorkingDir]
  const env = Object.fromEntries(
    [...config.Env, ...deployment.env].map((pair) => pair.split(/=(.*)/s).slice(0, 2)),
  )
  const child = spawn('/usr/bin/unshare', ['--mount', '/bin/sh', enterScript, ...place, ...command], {
    env: { ...env, ...extraEnv },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const lines: string[] = []
  createInterface(child.stdout).on('line', (line) => lines.push(line))
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    stop: () => void child.kill('SIGTERM'),
    kill: () => {
      child.kill('SIGKILL')
      return ended
    },
  }
}

interface Deployment {
  readonly ownerUrl: string
  readonly clientId: string
  readonly privateKey: string
  readonly baseUrl: string
  readonly ports: { readonly api: number; readonly worker: number }
  readonly configFolder: string
  readonly secretsFolder: string
  readonly env: readonly string[]
  readonly writeSecret: (name: string, text: string) => Promise<void>
}

/** A database, a mock rail, and the files that an operator mounts. */
async function prepare(closers: (() => unknown)[]): Promise<Deployment> {
  const temporary = await mkdtemp(join(tmpdir(), 'merchant-payments-image-'))
  closers.push(() => rm(temporary, { recursive: true }))
  await chmod(temporary, 0o755)
  const [configFolder, secretsFolder] = [join(temporary, 'config'), join(temporary, 'secrets')]
  await Promise.all([configFolder, secretsFolder].map((path) => mkdir(path)))
  const postgres = await startPostgres({ dataDir: join(temporary, 'data'), settings: { fsync: 'off' } })
  closers.push(postgres.stop)
  const rails = await startMockRails({ settings: { mtn: { autoApproveAfterMs: 0 } } })
  closers.push(rails.stop)
  const [listen = 0, api = 0, worker = 0] = await Promise.all([1, 2, 3].map(() => freePort()))
  const merchant = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const signing = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { mtn } = DEFAULT_SETTINGS
  const baseUrl = `http://${HOST}:${listen}`
  const secrets = {
    DATABASE_OWNER_URL: postgres.url,
    SIGNING_KEY: String(signing.privateKey.export({ type: 'pkcs8', format: 'pem' })),
    CLIENT_SECRET_KEY_1: randomBytes(32).toString('base64'),
    MTN_API_KEY: mtn.apiKey,
    MTN_COLLECTION_KEY: mtn.collectionSubscriptionKeys[0] ?? '',
  }
  const writeSecret = (name: string, text: string) => writeFile(join(secretsFolder, name), text)
  for (const [name, text] of Object.entries(secrets)) await writeSecret(name, text)
  const clientId = 'shop'
  const file = {
    livemode: false,
    public_base_url: baseUrl,
    checkout_page_dir: 'apps/checkout-web/dist',
    database: { url: { env: 'DATABASE_URL' } },
    listen: { port: listen },
    internal_listen: { port: api },
    worker: { internal_listen: { port: worker } },
    client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY_1' } }],
    signing_key: { env: 'SIGNING_KEY' },
    merchant_clients: [
      {
        client_id: clientId,
        name: 'Shop',
        jwks: { keys: [merchant.publicKey.export({ format: 'jwk' })] },
        scopes: ['payments:read', 'payments:write'],
        audiences: ['service:v1'],
        publishable_key: 'pk_test_shop',
      },
    ],
    rails: {
      [RAIL]: {
        adapter: 'mtn_momo',
        display_name: 'MTN Mobile Money',
        settlement_currency: 'XAF',
        base_url: rails.wireUrl,
        target_environment: mtn.targetEnvironment,
        collection: {
          subscription_keys: [{ env: 'MTN_COLLECTION_KEY' }],
          api_user: mtn.apiUser,
          api_key: { env: 'MTN_API_KEY' },
        },
      },
    },
  }
  await writeFile(join(configFolder, 'merchant-payments.yaml'), dump(file))
  return {
    ownerUrl: postgres.url,
    clientId,
    privateKey: JSON.stringify(merchant.privateKey.export({ format: 'jwk' })),
    baseUrl,
    ports: { api, worker },
    configFolder,
    secretsFolder,
    env: ['DATABASE_URL', ...Object.keys(secrets)].map((name) => `${name}_FILE=/run/secrets/${name}`),
    writeSecret,
  }
}

/** What Linux shows of a process: its ids, its capabilities, and how its root is mounted. */
async function rightsOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => new RegExp(`^${name}:[\\t ]*(.*?)[\\t ]*$`, 'm').exec(status)?.[1] ?? ''
  const mounts = (await readFile(`/proc/${pid}/mountinfo`, 'utf8')).split('\n').map((line) => line.split(' '))
  const [, , , , , options = ''] = mounts.findLast(([, , , , point]) => point === '/') ?? []
  return {
    Uid: Number(field('Uid').split('\t')[0]),
    Gid: Number(field('Gid').split('\t')[0]),
    Groups: field('Groups'),
    CapEff: field('CapEff'),
    root: options.split(',')[0],
  }
}

async function residentMb(pid: number): Promise<number> {
  const [, kb] = /^VmRSS:\s*(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kb) / 1024)
}

/** All regular files of the image, by their paths in it. */
async function filesOf(folder: string) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(
    files.map(async (file) => {
      const { mode, uid, gid, size } = await lstat(file)
      return { path: file.slice(folder.length), mode, uid, gid, size }
    }),
  )
}

/** The names and versions of the installed packages. pnpm keeps each in a folder of its own, beside links to those that it needs. */
async function packagesOf(folder: string): Promise<string[]> {
  const manifests = (await filesOf(folder)).filter(({ path }) =>
    /^\/app\/node_modules\/\.pnpm\/[^/]+\/node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path),
  )
  const names = await Promise.all(
    manifests.map(async ({ path }) => {
      const { name, version } = JSON.parse(await readFile(join(folder, path), 'utf8')) as Record<
        string,
        string
      >
      return `${name}@${version}`
    }),
  )
  return [...new Set(names)].toSorted()
}

/** Those that `pnpm run sbom` lists, without the packages of the workspace. */
async function listedPackages(): Promise<string[]> {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  await promisify(execFile)('npx', ['--yes', 'pnpm@12', 'run', 'sbom'], { cwd: root })
  const { components } = JSON.parse(await readFile(`${root}dist/sbom.cdx.json`, 'utf8')) as {
    components: { group?: string; name: string; version: string }[]
  }
  const names = components
    .filter(({ group }) => group !== '@merchant-payments')
    .map(({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`)
  return [...new Set(names)].toSorted()
}
