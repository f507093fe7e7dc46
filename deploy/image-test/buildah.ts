import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requireProgram } from '@merchant-payments/testing/program'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** Debian 12, on which the default base of the Containerfile stands too. */
const SUITE = 'bookworm'
const MIRROR_MAX_MS = 300_000
const BUILD_MAX_MS = 600_000
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024

async function run(command: string, args: readonly string[], timeout = BUILD_MAX_MS): Promise<string> {
  const options = { cwd: root, timeout, maxBuffer: OUTPUT_BYTES_MAX }
  return (await promisify(execFile)(command, [...args], options)).stdout.trim()
}

const buildah = (...args: string[]): Promise<string> => run('buildah', args)

/** Why this machine cannot build images, or null if it can. */
export async function whyNotHere(): Promise<string | null> {
  if (process.platform !== 'linux') return 'buildah builds images on Linux alone'
  if (process.getuid?.() !== 0)
    return 'buildah’s chroot isolation, and a base of Debian’s packages, need root'
  try {
    requireProgram('buildah')
    requireProgram('mmdebstrap')
    await makeBase()
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 1_000) : 'unknown'
  }
  return null
}

/**
 * The base of the test: Debian's smallest system with the Node of the workspace and an npm, like the default base.
 * Later runs on this machine use it again, because it takes a minute or more.
 *
 * @returns the image's name
 */
async function makeBase(): Promise<string> {
  const npm = await realpath(`${await run('npm', ['root', '--global'])}/npm`)
  const digest = await digestOf(process.execPath, `${npm}/package.json`)
  const name = `localhost/merchant-payments-test-base:${SUITE}-${digest}`
  if (await succeeds('inspect', '--type', 'image', name)) return name
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-base-'))
  try {
    const archive = `${folder}/${SUITE}.tar`
    const kind = ['--variant=minbase', '--include=libstdc++6,libatomic1', '--format=tar']
    await run('mmdebstrap', [...kind, SUITE, archive], MIRROR_MAX_MS)
    const local = `${folder}/local`
    await mkdir(`${local}/bin`, { recursive: true })
    await cp(await realpath(process.execPath), `${local}/bin/node`)
    await cp(npm, `${local}/lib/node_modules/npm`, { recursive: true })
    for (const program of ['npm', 'npx']) {
      await symlink(`../lib/node_modules/npm/bin/${program}-cli.js`, `${local}/bin/${program}`)
    }
    const container = await buildah('from', 'scratch')
    await buildah('add', container, archive, '/')
    await buildah('copy', container, local, '/usr/local')
    await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container)
    await buildah('commit', '--rm', container, name)
  } finally {
    await rm(folder, { recursive: true })
  }
  return name
}

async function digestOf(...files: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}

const succeeds = (...args: string[]): Promise<boolean> =>
  buildah(...args).then(
    () => true,
    () => false,
  )

/** What a runtime reads of an image. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
  readonly Labels: Readonly<Record<string, string>>
  readonly Healthcheck: { readonly Test: readonly string[] }
}

interface BuiltImage {
  readonly config: ImageConfig
  /** The folder of its file system. */
  readonly folder: string
  readonly remove: () => Promise<void>
}

/** Builds the Containerfile from the working tree and mounts the result. */
export async function buildImage(args: Readonly<Record<string, string>>): Promise<BuiltImage> {
  const name = 'localhost/merchant-payments-test'
  const given = Object.entries({ BASE: await makeBase(), ...args }).flatMap(([key, value]) => [
    '--build-arg',
    `${key}=${value}`,
  ])
  await buildah(
    'bud',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    ...authority(),
    ...given,
    '--tag',
    name,
    '.',
  )
  const container = await buildah('from', '--pull-never', name)
  const folder = await buildah('mount', container)
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', name)) as {
    Docker: { config: ImageConfig }
  }
  const remove = async () => {
    await buildah('rm', container)
    await buildah('rmi', name)
  }
  return { config: Docker.config, folder, remove }
}

/** The authorities of this machine's network, if it names its own. */
function authority(): string[] {
  const file = process.env['NODE_EXTRA_CA_CERTS']
  return file === undefined ? [] : ['--secret', `id=ca,src=${file}`]
}

export const enterScript = join(dirname(fileURLToPath(import.meta.url)), 'enter.sh')
