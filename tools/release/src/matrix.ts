import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { freePort } from '@merchant-payments/ports'
import { installTools } from './install-tools.ts'
import { EDGE_EXPECTED, EXPECTED, programs } from './programs.ts'
import { run } from './run.ts'
import type { Service } from './service.ts'
import { measureSizes } from './sizes.ts'
import type { Tarball } from './tarballs.ts'

/** The program of this platform alone: the package `node` starts an npm of its own to install it. */
function nodeOf(major: number): string {
  return `npm:node-${process.platform}-${process.arch}@${major}`
}

/** The tools that run or check the packages, by the name under which the project installs them. */
const tools: Readonly<Record<string, string>> = {
  node20: nodeOf(20),
  node22: nodeOf(22),
  node24: nodeOf(24),
  bun: '1.4.4',
  deno: '2.9.6',
  jest: '30.5.2',
  vitest: '5.1.0',
  esbuild: '^0.25.0 || ^0.26.0 || ^0.27.0 || ^0.28.0',
  workerd: '1.20261117.1',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  typescript59: 'npm:typescript@5.9',
  typescript7: 'npm:typescript@7',
  publint: '0.3.25',
  '@arethetypeswrong/cli': '0.18.5',
}

export interface Row {
  readonly what: string
  /** Null if it works, or the first lines of what went wrong. */
  readonly fault: string | null
  /** What the check measured; empty if nothing. */
  readonly detail: string
  readonly durationMs: number
}

interface Project {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly tarballs: readonly Tarball[]
}

interface Check {
  readonly what: string
  /** Rejects if it does not work. Returns what it measured, if anything. */
  readonly run: (project: Project) => Promise<string | void>
}

/** The tools whose install scripts fetch or link their program. */
const BUILDS = ['bun', 'deno', 'esbuild']

/** Installs the tarballs and every tool into a fresh project, in which each package sees the others as npm lays them out. */
export async function freshProject(
  folder: string,
  tarballs: readonly Tarball[],
  env: Readonly<Record<string, string>>,
): Promise<Project> {
  const own = Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`]))
  const manifest = { name: 'consumer', private: true, dependencies: { ...own, ...tools } }
  for (const [file, text] of Object.entries(programs)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  await installTools(folder, { manifest, builds: BUILDS })
  return { folder, env, tarballs }
}

async function expectOutput(project: Project, file: string, args: readonly string[]): Promise<void> {
  const printed = (await run(file, args, { cwd: project.folder, env: project.env })).trim()
  if (printed !== EXPECTED)
    throw new Error(`printed ${JSON.stringify(printed)} instead of ${JSON.stringify(EXPECTED)}`)
}

const bin = ({ folder }: Project, name: string): string => join(folder, 'node_modules/.bin', name)

const onNode = (major: number): Check[] =>
  ['mjs', 'cjs'].map((extension) => ({
    what: `Node ${major}, ${extension === 'mjs' ? 'ESM' : 'CommonJS'}`,
    run: (project) =>
      expectOutput(project, join(project.folder, `node_modules/node${major}/bin/node`), [
        `smoke.${extension}`,
      ]),
  }))

/** Each program among the packages starts, and says its version. */
const commandsOn = (major: number): Check => ({
  what: `Node ${major}, the command line`,
  run: async (project) => {
    for (const { name, command, version } of project.tarballs) {
      if (command === null) continue
      const node = join(project.folder, `node_modules/node${major}/bin/node`)
      const program = join(project.folder, 'node_modules', name, 'dist/main.mjs')
      const printed = (await run(node, [program, '--version'], { cwd: project.folder })).trim()
      if (printed !== version) throw new Error(`${command} --version printed ${JSON.stringify(printed)}`)
    }
  },
})

const typeScript = (alias: string, release: string): Check[] =>
  ['node16', 'nodenext', 'bundler'].map((resolution) => ({
    what: `TypeScript ${release}, ${resolution}`,
    run: async (project) => {
      const module = resolution === 'bundler' ? 'esnext' : resolution
      const file = `types-${alias}-${resolution}`
      const compilerOptions = {
        noEmit: true,
        strict: true,
        target: 'es2022',
        lib: ['es2022', 'dom'],
        types: [],
        module,
        moduleResolution: resolution,
      }
      await writeFile(join(project.folder, `${file}.mts`), TYPED)
      const config = join(project.folder, `${file}.json`)
      await writeFile(config, JSON.stringify({ compilerOptions, files: [`${file}.mts`] }))
      const compiler = join(project.folder, 'node_modules', alias, 'bin/tsc')
      await run(process.execPath, [compiler, '-p', config], { cwd: project.folder })
    },
  }))

const TYPED = `import { createMerchantPayments, type Event } from '@merchant-payments/node-sdk'
import { createVerifier, type Event as Verified } from '@merchant-payments/webhook-verifier'
import { createPayerClient } from '@merchant-payments/payer-client'
const handle = (event: Event): string => event.type
export const first: (event: Verified) => string = handle
export const made = [createMerchantPayments, createVerifier, createPayerClient]
`

const checks: readonly Check[] = [
  ...[20, 22, 24].flatMap(onNode),
  ...[20, 22, 24].map(commandsOn),
  { what: 'Bun', run: (project) => expectOutput(project, bin(project, 'bun'), ['smoke.mjs']) },
  {
    what: 'Deno',
    run: (project) =>
      expectOutput(project, bin(project, 'deno'), [
        'run',
        '--quiet',
        '--no-lock',
        '--node-modules-dir=manual',
        '-A',
        'smoke.mjs',
      ]),
  },
  {
    what: 'Jest',
    run: async (project) => {
      await run(bin(project, 'jest'), ['--rootDir', 'jest'], { cwd: project.folder, env: project.env })
    },
  },
  {
    what: 'Vitest',
    run: async (project) => {
      await run(bin(project, 'vitest'), ['run', '--dir', 'vitest'], { cwd: project.folder, env: project.env })
    },
  },
  { what: 'workerd, a bundle for edge workers', run: runEdge },
  { what: 'Next.js, app router', run: runNext },
  ...typeScript('typescript59', '5.9'),
  ...typeScript('typescript7', '7'),
  {
    what: 'sizes, minified and compressed',
    run: (project) => measureSizes(project.folder, bin(project, 'esbuild')),
  },
  {
    what: 'publint',
    run: async (project) => {
      for (const { file } of project.tarballs) {
        await run(bin(project, 'publint'), ['run', file, '--strict'], { cwd: project.folder })
      }
    },
  },
  {
    what: 'are the types wrong?',
    run: async (project) => {
      // A program has no types.
      for (const { file } of project.tarballs.filter(({ command }) => command === null)) {
        await run(bin(project, 'attw'), [file, '--profile', 'node16'], { cwd: project.folder })
      }
    },
  },
]

/** How far the worker's clock is ahead while a token is fresh, due for renewal, and expired. */
const EDGE_AHEAD_MS = [0, 700_000, 890_000]

/** Bundles the worker, serves it, and lets requests at the same time read a payment with tokens of several ages. */
async function runEdge(project: Project): Promise<void> {
  const folder = join(project.folder, 'edge')
  const flags = ['--bundle', '--format=esm', '--platform=browser', '--conditions=workerd,worker,browser']
  await run(bin(project, 'esbuild'), ['worker.mjs', ...flags, '--outfile=out.mjs'], { cwd: folder })
  const code = await readFile(join(folder, 'out.mjs'), 'utf8')
  if (/["']node:/.test(code)) throw new Error('the bundle imports a module of Node')
  const port = await freePort()
  const args = ['serve', 'config.capnp', `--socket-addr=http=127.0.0.1:${port}`]
  await whileServing({ program: bin(project, 'workerd'), args, folder, env: project.env }, async () => {
    for (const aheadMs of EDGE_AHEAD_MS) {
      const ask = () => expectAnswer(`http://127.0.0.1:${port}/?ahead_ms=${aheadMs}`, EDGE_EXPECTED)
      await Promise.all([ask(), ask(), ask()])
    }
  })
}

/** Builds the application, starts it, and asks its routes for Node and for the edge. */
async function runNext(project: Project): Promise<void> {
  const folder = join(project.folder, 'next')
  const env = { ...project.env, NEXT_TELEMETRY_DISABLED: '1' }
  const next = bin(project, 'next')
  await run(next, ['build'], { cwd: folder, env })
  const port = await freePort()
  const args = ['start', '--port', String(port), '--hostname', '127.0.0.1']
  await whileServing({ program: next, args, folder, env }, async () => {
    for (const route of ['pay', 'edge']) await expectAnswer(`http://127.0.0.1:${port}/${route}`, EXPECTED)
  })
}

interface Server {
  readonly program: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

async function whileServing({ program, args, folder, env }: Server, ask: () => Promise<void>): Promise<void> {
  const server = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  })
  try {
    await ask()
  } finally {
    if (server.pid !== undefined) process.kill(-server.pid)
  }
}

async function expectAnswer(url: string, expected: string): Promise<void> {
  const printed = await answerOf(url)
  if (printed !== expected) throw new Error(`${url} answered ${printed}`)
}

const START_TRIES = 100
const START_PAUSE_MS = 200

async function answerOf(url: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await (await fetch(url)).text()
    } catch (error) {
      if (attempt === START_TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS))
    }
  }
}

/** Runs every check, one after the other. Announces each before it starts. */
export async function runMatrix(project: Project, onStart: (what: string) => void): Promise<Row[]> {
  const rows: Row[] = []
  for (const { what, run: check } of checks) {
    onStart(what)
    const startedAtMs = performance.now()
    const result = await check(project).then(
      (measured) => ({ fault: null, detail: measured ?? '' }),
      (error: Error) => ({ fault: error.message, detail: '' }),
    )
    rows.push({ what, ...result, durationMs: Math.round(performance.now() - startedAtMs) })
  }
  return rows
}

export const environmentOf = ({ baseUrl }: Service, privateKey: string): Record<string, string> => ({
  SMOKE_URL: baseUrl,
  SMOKE_KEY: privateKey,
})
