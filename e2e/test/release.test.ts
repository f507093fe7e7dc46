import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

const textOf = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')

const release = await textOf('.github/workflows/release.yml')
const tool = await textOf('tools/release/src/main.ts')
const [head = '', ...jobs] = release.split(/^ {2}(?=(?:version|publish):$)/m)

test('the release runs no action but by the hash of its commit, with its version beside it', () => {
  const actions = release.split('\n').filter((line) => line.includes('uses:'))
  expect(actions.length).toBeGreaterThan(0)
  expect(actions.filter((line) => !/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual(
    [],
  )
})

test('the release gives each job what it needs alone: only the one that publishes signs, and it writes nothing here', () => {
  expect(head).toMatch(/^permissions: \{\}$/m)
  expect(jobs).toHaveLength(2)
  const [version = '', publish = ''] = jobs
  expect(version).not.toMatch(/id-token|NPM_TOKEN/)
  expect(publish).toMatch(/id-token: write/)
  expect(publish.match(/^ {6}[\w-]+: (?:read|write)/gm)).toEqual([
    '      contents: read',
    '      id-token: write',
  ])
})

test('the release publishes with provenance', () => {
  expect(jobs[1]).toMatch(/^ {6}- run: npx --yes pnpm@12 release$/m)
  const [, settings = ''] = /await publish\(checkout, \{(.*)\}\)/.exec(tool) ?? []
  expect(settings).toMatch(/\bPNPM_CONFIG_PROVENANCE: 'true'/)
  expect(settings).toMatch(/\bNPM_CONFIG_PROVENANCE: 'true'/)
})

test('an install takes no release that is young, or signed for by less than before, and one pnpm by its hash', async () => {
  const workspace = await textOf('pnpm-workspace.yaml')
  const [, minutes] = /^minimumReleaseAge: (\d+)$/m.exec(workspace) ?? []
  expect(Number(minutes)).toBeGreaterThanOrEqual(24 * 60)
  expect(workspace).toMatch(/^trustPolicy: no-downgrade$/m)
  const { packageManager } = JSON.parse(await textOf('package.json')) as { packageManager: string }
  expect(packageManager).toMatch(/^pnpm@12\.\d+\.\d+\+sha512\.[0-9a-f]{128}$/)
})
