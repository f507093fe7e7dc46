import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hoverTextsOf } from '@merchant-payments/testing/hover-texts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as fetchEntry from '../src/fetch.ts'
import * as entry from '../src/index.ts'

const packageDir = fileURLToPath(new URL('..', import.meta.url))
let dist = ''

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'node-sdk-'))
  await promisify(execFile)('node_modules/.bin/tsdown', ['--out-dir', dist], { cwd: packageDir })
})
afterAll(() => rm(dist, { recursive: true }))

describe('what is published', () => {
  test.each([
    ['index', entry],
    ['fetch', fetchEntry],
  ])('%s exports the same from its ES module and its CommonJS file', async (name, source) => {
    const names = new Set(Object.keys(source))
    const esm = (await import(join(dist, `${name}.mjs`))) as object
    const cjs = createRequire(import.meta.url)(join(dist, `${name}.cjs`)) as object
    expect(new Set(Object.keys(esm))).toEqual(names)
    expect(new Set(Object.keys(cjs))).toEqual(names)
  })

  test('has no dependencies', async () => {
    const files = (await readdir(dist)).filter((file) => /\.[cm]js$/.test(file))
    const imported = new Set<string>()
    for (const file of files) {
      const code = await readFile(join(dist, file), 'utf8')
      for (const [, name = ''] of code.matchAll(/(?:from|import\(|require\()\s*"([^"]+)"/g))
        imported.add(name)
    }
    expect(imported).toEqual(new Set(['node:http', 'node:https']))
    const manifest = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as object
    expect(manifest).not.toHaveProperty('dependencies')
    expect(manifest).not.toHaveProperty('peerDependencies')
  })

  test.each(['index', 'fetch'])('%s describes each name that an editor shows', (name) => {
    const { described, undescribed } = hoverTextsOf(join(dist, `${name}.d.mts`))
    expect(undescribed).toEqual([])
    expect(described).toBeGreaterThan(name === 'index' ? NAMES_MIN : 0)
  })
})

/** A lower count would mean that the types were not found. */
const NAMES_MIN = 700
