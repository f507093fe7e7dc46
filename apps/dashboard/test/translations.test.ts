import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const packageDir = fileURLToPath(new URL('..', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'translations-'))
const run = promisify(execFile)
const lingui = (...words: string[]) => run('node_modules/.bin/lingui', words, { cwd: copy })

beforeAll(() => {
  for (const name of ['src', 'lingui.config.ts', 'package.json'])
    cpSync(join(packageDir, name), join(copy, name), { recursive: true })
  symlinkSync(join(packageDir, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rmSync(copy, { recursive: true }))

const localesIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(join(folder, 'src/locales')).map((name) => [
      name,
      readFileSync(join(folder, 'src/locales', name), 'utf8').replaceAll(/^"POT-Creation-Date:.*\n/gm, ''),
    ]),
  )

test('the catalogs have every message of the sources, in both languages, and no other', async () => {
  // Without worker threads, which fail in a process of the test runner.
  await lingui('extract', '--clean', '--workers', '1')
  await lingui('compile', '--strict', '--typescript', '--workers', '1')
  expect(localesIn(copy)).toEqual(localesIn(packageDir))
})

/** Written on keyboards of both languages. */
const KEYS = 'Ctrl K'

/** Text between tags, and text in the attributes that people read. */
const visible = [
  />\s*([A-Za-z][^<>{}]*[a-z]{2}[^<>{}]*?)\s*<\//g,
  /<(?:\w[^<>]*)?>\s+([A-Za-z][^<>{}()=;]*[a-z]{2}[^<>{}()=;]*?)\s*\{/g,
  /\s(?:title|label|placeholder|aria-label|action|about|empty|caption)="([^"]*[a-z]{2}[^"]*)"/g,
]

test('no text on the screens bypasses the catalogs', () => {
  const names = readdirSync(join(packageDir, 'src'), { recursive: true, encoding: 'utf8' })
  const found = names
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => {
      const code = readFileSync(join(packageDir, 'src', name), 'utf8')
      return visible.flatMap((pattern) => [...code.matchAll(pattern)].map(([, text = '']) => text))
    })
  expect(found.filter((text) => text !== KEYS)).toEqual([])
})
