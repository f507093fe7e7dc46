import { generateKeyPairSync } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, ConfigError, loadConfig } from '@merchant-payments/config'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { lastStageOf, pairsOf, readContainerfile, root } from './containerfile.ts'
import { type Helm, type KubernetesObject, openHelm, typeFaultsOf, validate } from './helm.ts'
import { INSTALL_MS } from './rules.ts'

/** New-space halves that V8 keeps: two, and a third while it copies. */
const SEMI_SPACES = 3

/** With every object that the chart can make. */
const ARCHIVING = ['--set', 'archive.volumeClaim=months']

let helm: Helm
let objects: readonly KubernetesObject[]
beforeAll(async () => {
  helm = await openHelm()
  objects = await helm.render(...ARCHIVING)
}, INSTALL_MS)

interface Container {
  readonly name: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly resources: { readonly limits: { readonly memory: string } }
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}

interface Pod {
  readonly metadata: { readonly labels: object }
  readonly spec: { readonly containers: readonly Container[]; readonly volumes: readonly object[] }
}

const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const specOf = (object: KubernetesObject | undefined) =>
  (object as unknown as { spec: Record<string, unknown> }).spec
const jobOf = (object: KubernetesObject) => (specOf(object)['jobTemplate'] ?? object) as KubernetesObject
const podOf = (object: KubernetesObject) => specOf(jobOf(object))['template'] as Pod
const pods = () => ['Deployment', 'Job', 'CronJob'].flatMap(ofKind).map(podOf)
const containers = () => pods().flatMap(({ spec }) => spec.containers)

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const secrets: Readonly<Record<string, string>> = {
  DATABASE_URL: 'postgres://payments_service@db.example/payments?sslmode=verify-full',
  SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  CLIENT_SECRET_KEY_1: 'k'.repeat(32),
}

/** The configuration that a container loads, with the secrets that it mounts. */
async function configOf({ env }: Container, rendered: readonly KubernetesObject[]): Promise<Config> {
  const [map] = rendered.filter(({ kind }) => kind === 'ConfigMap') as unknown as {
    data: Record<string, string>
  }[]
  const folder = await testFolder()
  const file = join(folder, 'merchant-payments.yaml')
  await writeFile(file, map?.data['merchant-payments.yaml'] ?? '')
  const files = env.map(({ name, value }) => [name, value.replace('/run/secrets', folder)] as const)
  for (const [, path] of files) await writeFile(path, secrets[path.slice(folder.length + 1)] ?? '')
  return loadConfig(file, Object.fromEntries(files))
}

describe('the chart', () => {
  test('passes helm’s own checks', async () => {
    expect(await helm.lint()).toContain('0 chart(s) failed')
  })

  test('makes objects with fields that Kubernetes knows', async () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(names.toSorted()).toEqual([
      'ConfigMap shop',
      'CronJob shop-archive',
      'Deployment shop-api',
      'Deployment shop-worker',
      'Job shop-migrate',
      'NetworkPolicy shop-api',
      'NetworkPolicy shop-worker',
      'PodDisruptionBudget shop-api',
      'PodDisruptionBudget shop-worker',
      'Service shop',
    ])
    expect(await typeFaultsOf(objects)).toBe('')
    for (const object of objects) validate(object)
  })

  test('archives nothing without a volume', async () => {
    const isCronJob = ({ kind }: KubernetesObject) => kind === 'CronJob'
    const plain = await helm.render()
    expect(plain).toHaveLength(objects.length - 1)
    expect(plain.filter(isCronJob)).toEqual([])
    expect(JSON.stringify(plain)).not.toContain('archive')
  })

  test('is found to differ from what Kubernetes knows', async () => {
    const spoiled = (from: string, to: string) =>
      objects.map((object) => JSON.parse(JSON.stringify(object).replace(from, to)) as KubernetesObject)
    expect(await typeFaultsOf(spoiled('"readinessProbe"', '"readinessProb"'))).toContain('readinessProb')
    expect(await typeFaultsOf(spoiled('"replicas":2', '"replicas":"two"'))).toContain('string')
    const [deployment] = spoiled('"256Mi"', '"256 M"').filter(({ kind }) => kind === 'Deployment')
    expect(() => deployment && validate(deployment)).toThrow('memory')
  })

  test('gives a pod no user of rights, no place to write and no credential of the cluster', () => {
    expect(pods()).toHaveLength(4)
    for (const { spec } of pods()) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 10_001,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      })
    }
    for (const container of containers()) {
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      })
    }
  })

  test('gives a container more memory than Node may take for its heap', async () => {
    const { NODE_OPTIONS: options = '' } = pairsOf(lastStageOf(await readContainerfile()), 'ENV')
    const mb = (name: string) => Number(new RegExp(`--max-${name}-space-size=(\\d+)`).exec(options)?.[1])
    expect(containers().map(({ args, resources }) => [args[0], resources.limits.memory])).toEqual([
      ['api', '320Mi'],
      ['worker', '320Mi'],
      ['migrate', '256Mi'],
      ['archive', '256Mi'],
    ])
    for (const { resources } of containers()) {
      expect(mb('old') + SEMI_SPACES * mb('semi')).toBeLessThan(Number.parseInt(resources.limits.memory, 10))
    }
  })

  test('runs programs of the image', async () => {
    const programs = await readdir(`${root}deploy/image/bin`)
    expect(containers().map(({ args }) => args)).toEqual([
      ['api'],
      ['worker'],
      ['migrate', 'up', 'expand'],
      ['archive', 'write'],
    ])
    expect(programs).toEqual(expect.arrayContaining(['api', 'worker', 'migrate', 'archive']))
  })

  test('asks the internal listener whether a process lives and is ready, and waits for its database at the start', () => {
    for (const { ports = [], startupProbe, livenessProbe, readinessProbe } of containers().slice(0, 2)) {
      expect(ports).toContainEqual({ name: 'internal', containerPort: 9080, protocol: 'TCP' })
      const probes = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet)
      expect(probes).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'internal' })))
      expect((startupProbe?.periodSeconds ?? 0) * (startupProbe?.failureThreshold ?? 0)).toBeGreaterThan(300)
    }
  })

  test('mounts a configuration that loads, with the secrets that it names', async () => {
    for (const container of containers().slice(0, 2)) {
      const { name, ports = [] } = container
      const config = await configOf(container, objects)
      const { internalListen, metrics } = name === 'api' ? config : config.worker
      const opened = Object.fromEntries(
        ports.map(({ name, containerPort }) => [name, { host: '0.0.0.0', port: containerPort }]),
      )
      expect({ internal: internalListen, metrics, ...(name === 'api' && { http: config.listen }) }).toEqual(
        opened,
      )
    }
  })

  test('runs one archive at a time, on the folder that the configuration names', () => {
    const [cron] = ofKind('CronJob')
    if (cron === undefined) throw new Error('the chart has no CronJob')
    expect(specOf(cron)).toMatchObject({ schedule: '0 2 * * *', concurrencyPolicy: 'Forbid' })
    expect(specOf(jobOf(cron))).toMatchObject({ backoffLimit: 0, activeDeadlineSeconds: 43_200 })
    const {
      containers: [container],
      volumes,
    } = podOf(cron).spec
    const folder = '/var/lib/merchant-payments/archive'
    expect(container).toMatchObject({
      volumeMounts: [
        { mountPath: '/etc/merchant-payments', readOnly: true },
        { mountPath: '/run/secrets', readOnly: true },
        { name: 'archive', mountPath: folder },
      ],
    })
    expect(volumes).toContainEqual({ name: 'archive', persistentVolumeClaim: { claimName: 'months' } })
    const [map] = ofKind('ConfigMap') as unknown as { data: Record<string, string> }[]
    expect(load(map?.data['merchant-payments.yaml'] ?? '')).toMatchObject({ archive_folder: folder })
  })

  test('gives the owner’s URL to the migration and the archive alone', () => {
    const [job] = ofKind('Job')
    const [cron] = ofKind('CronJob')
    expect(JSON.stringify(cron)).toContain('merchant-payments-owner')
    expect(JSON.stringify(cron)).not.toContain('"DATABASE_URL"')
    expect(JSON.stringify(job)).toContain('merchant-payments-owner')
    expect(JSON.stringify(ofKind('Deployment'))).not.toMatch(/owner|OWNER/)
    expect(JSON.stringify(job)).not.toContain('"DATABASE_URL"')
    expect(job?.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'pre-install,pre-upgrade' })
  })

  test('selects the pods of one component by each budget, policy and service', () => {
    const labels = pods().map(({ metadata }) => metadata.labels as Record<string, string>)
    const selectors = [
      ...ofKind('Deployment').map((object) => specOf(object)['selector']),
      ...ofKind('PodDisruptionBudget').map((object) => specOf(object)['selector']),
      ...ofKind('NetworkPolicy').map((object) => specOf(object)['podSelector']),
      ...ofKind('Service').map((object) => ({ matchLabels: specOf(object)['selector'] })),
    ] as { matchLabels: Record<string, string> }[]
    const selected = selectors.map(({ matchLabels }) =>
      labels
        .filter((one) => Object.entries(matchLabels).every(([key, value]) => one[key] === value))
        .map((one) => one['app.kubernetes.io/component']),
    )
    expect(selected).toEqual([['api'], ['worker'], ['api'], ['worker'], ['api'], ['worker'], ['api']])
  })

  test('leaves the pods alone when the contract phase runs', async () => {
    const later = await helm.render(...ARCHIVING, '--set', 'migrate.phase=contract')
    const isJob = ({ kind }: KubernetesObject) => kind === 'Job'
    expect(later.filter((object) => !isJob(object))).toEqual(objects.filter((object) => !isJob(object)))
    expect(later.filter(isJob).map((job) => podOf(job).spec.containers[0]?.args)).toEqual([
      ['migrate', 'up', 'contract'],
    ])
  })

  test.each([
    ['an unknown value', ['--set', 'replicas=3']],
    ['an address that the chart sets itself', ['--set', 'config.listen.port=1']],
    ['no replica', ['--set', 'api.replicas=0']],
    ['an archive that may run for a minute', ['--set', 'archive.deadlineSeconds=60']],
    ['a file outside of the folder of secrets', ['--set', 'secrets.owner.files={../ca}']],
    ['an unknown phase', ['--set', 'migrate.phase=all']],
    ['a rule of egress whose peers are missing', ['--set-json', 'networkPolicy.egress=[{"to":null}]']],
    [
      'a rule of egress whose ports are missing',
      ['--set-json', 'networkPolicy.egress=[{"to":[{"ipBlock":{"cidr":"10.0.0.7/32"}}],"ports":null}]'],
    ],
    [
      'a rule of egress with a port without a number',
      [
        '--set-json',
        'networkPolicy.egress=[{"to":[{"ipBlock":{"cidr":"10.0.0.7/32"}}],"ports":[{"port":null}]}]',
      ],
    ],
    ['a peer that is nobody', ['--set-json', 'networkPolicy.clients=[{}]']],
    ['a port that is none', ['--set', 'networkPolicy.database.port=0']],
  ])('refuses %s', async (_case, args) => {
    await expect(helm.render(...args)).rejects.toThrow(/values don't meet the specifications of the schema/)
  })
})

test('shares the connections among as many processes as a roll-out runs, or as the values say', async () => {
  const sharedBy = async (...args: string[]) => {
    const maps = (await helm.render(...args)).filter(({ kind }) => kind === 'ConfigMap')
    const [map] = maps as unknown as { data: Record<string, string> }[]
    const config = load(map?.data['merchant-payments.yaml'] ?? '') as { database: { shared_by: object } }
    return config.database.shared_by
  }
  expect(await sharedBy()).toEqual({ apis: 3, workers: 3 })
  expect(await sharedBy('--set', 'api.replicas=7', '--set', 'config.database.shared_by.workers=9')).toEqual({
    apis: 8,
    workers: 9,
  })
})

test('the migration and the archive get further files of the owner, such as an authority of the database', async () => {
  const mountedBy = (rendered: readonly KubernetesObject[]) =>
    rendered
      .filter(({ kind }) => kind === 'Job' || kind === 'CronJob')
      .flatMap((object) => podOf(object).spec.volumes as { secret?: { items: unknown } }[])
      .flatMap(({ secret }) => (secret === undefined ? [] : [secret.items]))
  const withFiles = (...files: readonly string[]) =>
    ['DATABASE_OWNER_URL', ...files].map((key) => ({ key, path: key }))
  expect(mountedBy(objects)).toEqual([withFiles(), withFiles()])
  const more = await helm.render(...ARCHIVING, '--set', 'secrets.owner.files={database-ca.crt}')
  expect(mountedBy(more)).toEqual([withFiles('database-ca.crt'), withFiles('database-ca.crt')])
  expect(await typeFaultsOf(more)).toBe('')
  // The values of a release before this one, which --reuse-values keeps.
  const before = await helm.render(...ARCHIVING, '--set', 'secrets.owner.files=null')
  expect(mountedBy(before)).toEqual([withFiles(), withFiles()])
})

type Values = { readonly [key: string]: Value } | readonly Value[]
type Value = Values | string | number | boolean | null

const values = load(await readFile(`${root}deploy/helm/merchant-payments/values.yaml`, 'utf8')) as Values
const isNested = (value: Value | undefined): value is Values => typeof value === 'object' && value !== null

/** Each key of the values, and each element of a list. */
const pathsOf = (some: Values): string[][] =>
  Object.entries(some).flatMap(([key, value]: [string, Value]) => [
    [key],
    ...(isNested(value) ? pathsOf(value).map((path) => [key, ...path]) : []),
  ])

/** Values that leave one key empty. Helm merges objects, and takes a list whole. */
function emptied(some: Value | undefined, [key, ...path]: readonly string[]): Value {
  if (key === undefined) return null
  if (!isNested(some)) throw new Error(`there is no ${key}`)
  if (isList(some)) return some.map((value, n) => (String(n) === key ? emptied(value, path) : value))
  return { [key]: emptied(some[key], path) }
}

const isList = (some: Values): some is readonly Value[] => Array.isArray(some)

/** What the cluster runs. The text of the configuration may differ, if the service reads the same from it. */
async function runBy(rendered: readonly KubernetesObject[]): Promise<string> {
  const [api] = rendered.filter(({ kind }) => kind === 'Deployment').flatMap(containersOf)
  if (api === undefined) throw new Error('there is no api')
  const config = await configOf(api, rendered)
  const objects = rendered.filter(({ kind }) => kind !== 'ConfigMap')
  return JSON.stringify({ config, objects }, null, 1).replaceAll(/"checksum\/config": "[0-9a-f]{64}"/g, '')
}

const containersOf = (object: KubernetesObject) => podOf(object).spec.containers

/** By the schema before the cluster changes, or by the service, whose pods of before then stay. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ConfigError || /values don't meet the specifications of the schema/.test(String(error))

const REFUSED = 'refused'
const emptiedPaths = pathsOf(values).map((path) => [path.join('.'), path] as const)

test.each(emptiedPaths)('an empty %s is refused, or changes nothing', async (_name, path) => {
  const folder = await testFolder()
  // JSON is YAML. The first of the files makes every object that the chart has.
  await writeFile(join(folder, 'first.yaml'), JSON.stringify({ archive: { volumeClaim: 'months' } }))
  await writeFile(join(folder, 'emptied.yaml'), JSON.stringify(emptied(values, path)))
  const files = ['first', 'emptied'].flatMap((name) => ['--values', join(folder, `${name}.yaml`)])
  const now = await helm
    .render(...files)
    .then(runBy)
    .catch((error: unknown) => {
      if (isRefusal(error)) return REFUSED
      throw error
    })
  expect(now).toBe(now === REFUSED ? REFUSED : await runBy(objects))
})
