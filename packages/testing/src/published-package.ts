import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { rolldown } from 'rolldown'
import { build } from 'tsdown'
import ts from 'typescript'
import { packAlone } from './pack-alone.ts'

/** A published package as its user installs it, so that tests run what is published. */
export interface PublishedPackage {
  readonly folder: string
  /** Every file of the tarball, by its path in the package. */
  readonly files: () => Promise<readonly string[]>
  readonly lint: () => Promise<readonly unknown[]>
  /** The types of each entry that TypeScript finds where it reads no `exports`, as with module: commonjs in 5.9. */
  readonly typesWithoutExports: () => Promise<Readonly<Record<string, string | null>>>
  /** The modules, other than its own files, that a file of `dist` imports or requires. */
  readonly importsOf: (file: string) => Promise<readonly string[]>
  /** Bundles a user's program as an edge worker's tools do: without the modules of Node. */
  readonly bundleOf: (program: string) => Promise<string>
  /** Runs a user's program and returns its output. The file's extension decides between import and require. */
  readonly outputOf: (
    file: string,
    program: string,
    env?: Readonly<Record<string, string>>,
  ) => Promise<string>
  /**
   * Type-checks a user's program with these type libraries, imported and required. Returns the compiler's
   * messages.
   */
  readonly typeFaultsOf: (program: string, lib: readonly string[]) => Promise<string>
  /** Bundles a source of `src` or another folder with all that it imports. */
  readonly gzipBytesOf: (entry: string, folder?: string) => Promise<number>
  readonly remove: () => Promise<void>
}

const run = promisify(execFile)

/** What a forge gives to its workflow. */
const FORGE = { GITHUB_SERVER_URL: 'https://forge.example', GITHUB_REPOSITORY: 'acme/payments' }

/** Packs the package in the folder `root`, which builds it, and unpacks it. */
export async function publishPackage(root: string): Promise<PublishedPackage> {
  const { name } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { name: string }
  const consumer = await mkdtemp(join(tmpdir(), 'consumer-'))
  const folder = join(consumer, 'node_modules', name)
  const packed = join(consumer, 'packed.tgz')
  const env = { ...process.env, ...FORGE }
  await packAlone(() => run('npx', ['--yes', 'pnpm@12', 'pack', '--out', packed], { cwd: root, env }))
  await mkdir(folder, { recursive: true })
  await run('tar', ['-xzf', packed, '-C', folder, '--strip-components=1'])

  return {
    folder,
    files: async () => {
      const { stdout } = await run('tar', ['-tzf', packed])
      return stdout
        .trim()
        .split('\n')
        .map((file) => file.replace(/^package\//, ''))
    },
    importsOf: (file) => importsOf(join(folder, 'dist', file)),
    bundleOf: async (program) => {
      const input = join(consumer, 'edge.mjs')
      await writeFile(input, program)
      return bundleOf(input)
    },
    lint: async () => {
      const tarball = new Uint8Array(await readFile(packed)).buffer
      return (await publint({ pack: { tarball }, strict: true })).messages
    },
    typesWithoutExports: async () => typesWithoutExports(folder, name, join(consumer, 'a.ts')),
    outputOf: async (file, program, env = {}) => {
      await writeFile(join(consumer, file), program)
      return (await run(process.execPath, [file], { cwd: consumer, env: { ...process.env, ...env } })).stdout
    },
    typeFaultsOf: async (program, lib) => {
      const files = ['types.mts', 'types.cts']
      const options = { noEmit: true, strict: true, module: 'nodenext', target: 'es2022', types: [], lib }
      await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files }))
      for (const file of files) await writeFile(join(consumer, file), program)
      return faultsOf(root, consumer)
    },
    gzipBytesOf: (entry, folder = 'src') =>
      gzipBytesOf(root, `${folder}/${entry}`, join(consumer, 'minified', folder)),
    remove: () => rm(consumer, { recursive: true, force: true }),
  }
}

async function typesWithoutExports(folder: string, name: string, importer: string) {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8')
  const { exports } = JSON.parse(manifest) as { exports: Record<string, unknown> }
  const options = { moduleResolution: ts.ModuleResolutionKind.Node10 }
  const found = Object.keys(exports)
    .filter((entry) => !entry.endsWith('.json'))
    .map((entry) => {
      const { resolvedModule } = ts.resolveModuleName(join(name, entry), importer, options, ts.sys)
      return [entry, resolvedModule === undefined ? null : basename(resolvedModule.resolvedFileName)] as const
    })
  return Object.fromEntries(found)
}

/** Follows the relative imports of a built file. */
async function importsOf(file: string, seen: Set<string> = new Set()): Promise<string[]> {
  if (seen.has(file)) return []
  seen.add(file)
  const code = await readFile(file, 'utf8')
  const names = [...code.matchAll(/(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*"([^"]+)"/g)].map(
    ([, found = '']) => found,
  )
  const inner = names
    .filter((one) => one.startsWith('.'))
    .map((one) => importsOf(join(dirname(file), one), seen))
  const outer = names.filter((one) => !one.startsWith('.'))
  return [...new Set([...outer, ...(await Promise.all(inner)).flat()])].sort()
}

/** Fails for an import that such a runtime does not have. */
async function bundleOf(input: string): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    resolve: { conditionNames: ['workerd', 'worker', 'browser', 'import', 'default'] },
    onLog: (_level, log) => {
      throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false, minify: true })
  return output[0].code
}

/** Type-checks a project with the compiler of `root`'s workspace. Returns the compiler's messages. */
export async function faultsOf(root: string, project: string): Promise<string> {
  const tsc = join(root, '../../node_modules/.bin/tsc')
  return run(tsc, ['-p', project]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}

async function gzipBytesOf(root: string, entry: string, outDir: string): Promise<number> {
  const options = { config: false, format: 'esm', target: 'es2022', dts: false, minify: true } as const
  await build({ ...options, cwd: root, entry: [`${entry}.ts`], outDir, logLevel: 'error' })
  return gzipSync(await readFile(join(outDir, `${basename(entry)}.mjs`)), { level: 9 }).byteLength
}
