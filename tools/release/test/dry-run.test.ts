import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The dry run takes a minute and a half alone, and longer beside other tests. */
const DRY_RUN_TIMEOUT_MS = 20 * 60_000
const OUTPUT_BYTES_MAX = 32 * 1024 * 1024

const releases = [20, 22, 24]

/** What the tarballs of a release run on, or are checked by. */
const checks = [
  ...releases.flatMap((major) => [`Node ${major}, ESM`, `Node ${major}, CommonJS`]),
  ...releases.map((major) => `Node ${major}, the command line`),
  'Bun',
  'Deno',
  'Jest',
  'Vitest',
  'workerd, a bundle for edge workers',
  'Next.js, app router',
  ...['5.9', '7'].flatMap((release) =>
    ['node16', 'nodenext', 'bundler'].map((resolution) => `TypeScript ${release}, ${resolution}`),
  ),
  'sizes, minified and compressed',
  'publint',
  'are the types wrong?',
]

test('a release of this commit holds every file, works everywhere, and can be published', {
  timeout: DRY_RUN_TIMEOUT_MS,
}, async () => {
  const { stdout } = await run(process.execPath, [main, '--dry-run'], { maxBuffer: OUTPUT_BYTES_MAX }).catch(
    (error: Error & { stdout: string }) => {
      console.log(error.stdout)
      throw error
    },
  )
  console.log(stdout)
  const works = [...stdout.matchAll(/^ {2}(\S.*?) +works +\d+\.\d s/gm)].map(([, what]) => what)
  expect(works).toEqual(checks)
  for (const file of [
    'dist/index.mjs',
    'dist/index.cjs',
    'dist/index.d.mts',
    'dist/main.mjs',
    'CHANGELOG.md',
  ]) {
    expect(stdout).toContain(`\n  ${file}\n`)
  }
  expect(stdout).toMatch(/The dry run published nothing\.\n$/)
})
