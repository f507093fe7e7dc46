import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PublishedPackage, publishPackage } from '@merchant-payments/testing/published-package'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodes } from '../src/failure.ts'
import { createProgram } from '../src/program.ts'

const PACK_TIMEOUT_MS = 120_000
/** With its parser, zod and the reader of YAML, which are bundled. */
const BUNDLE_BYTES_MAX = 1_500_000

const root = fileURLToPath(new URL('..', import.meta.url))

describe('what is published', () => {
  let published: PublishedPackage
  beforeAll(async () => {
    published = await publishPackage(root)
  }, PACK_TIMEOUT_MS)
  afterAll(() => published.remove())

  test('is one program, the notices of what it bundles, and nothing to install', async () => {
    const files = await published.files()
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/main.mjs', 'dist/THIRD-PARTY-NOTICES.txt']),
    )
    const manifest = JSON.parse(await readFile(join(published.folder, 'package.json'), 'utf8')) as object
    expect(manifest).toMatchObject({ bin: { 'merchant-payments': './dist/main.mjs' } })
    for (const field of ['dependencies', 'peerDependencies', 'devDependencies', 'scripts']) {
      expect(manifest).not.toHaveProperty(field)
    }
    expect(await published.lint()).toEqual([])
  })

  test('has the notice of each package that is bundled', async () => {
    const notices = await readFile(join(published.folder, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8')
    for (const name of ['commander', 'js-yaml', 'zod']) expect(notices).toContain(`${name}\n\n`)
    expect(notices).not.toContain('@merchant-payments')
  })

  test('runs where nothing else is installed, and is small', async () => {
    const program = join(published.folder, 'dist/main.mjs')
    const run = (args: readonly string[]) =>
      published.outputOf(
        'run.mjs',
        `import { execFileSync } from 'node:child_process'
        process.stdout.write(execFileSync(process.execPath, ${JSON.stringify([program, ...args])}))`,
      )
    expect(await run(['--version'])).toBe('0.0.0\n')
    expect(await run(['config', 'explain', 'livemode'])).toContain('Whether real money moves.')
    expect((await readFile(program)).byteLength).toBeLessThan(BUNDLE_BYTES_MAX)
  })
})

describe('README.md', () => {
  const leaves = (command: Command, path: string): string[] =>
    command.commands.length === 0
      ? [path]
      : command.commands.flatMap((sub) => leaves(sub, `${path} ${sub.name()}`))

  test('shows commands that have all their arguments, and say which deployment they call', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code)
    const shown = blocks
      .join('')
      .replaceAll('\\\n', '')
      .matchAll(/(?:^|\$\()merchant-payments ([^#>)\n]*)/gm)
    const commands = [...shown].map(([, args = '']) =>
      [...args.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word),
    )
    expect(commands.length).toBeGreaterThan(10)
    for (const args of commands.filter(([name]) => name !== '--help')) {
      const program = createProgram()
      const called: object[] = []
      for (const leaf of program.commands.flatMap((command) => [command, ...command.commands])) {
        leaf.action(() => void called.push(leaf.opts()))
      }
      await program.parseAsync(args, { from: 'user' })
      expect(called).toHaveLength(1)
      const [options = {}] = called
      const calls = ['token', 'pay', 'trigger', 'listen', 'events'].includes(args[0] ?? '')
      if (calls)
        expect({ args, named: 'dev' in options || 'envFile' in options }).toEqual({ args, named: true })
    }
  })

  test('shows every command and every exit code', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8')
    const commands = leaves(createProgram(), 'merchant-payments')
    expect(commands).toHaveLength(13)
    for (const command of commands) expect(readme).toContain(`\`${command}\``)
    for (const code of [0, ...Object.values(exitCodes)]) expect(readme).toContain(`| ${code} |`)
  })
})
