import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
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

  test('has words for each property that an editor shows, of each exported type', () => {
    const { described, undescribed } = wordsIn(join(dist, 'index.d.mts'))
    expect(undescribed).toEqual([])
    expect(described).toBeGreaterThan(PROPERTIES_MIN)
  })
})

/** Fewer would mean that the types were not found. */
const PROPERTIES_MIN = 250

/** What an editor shows on hover: of the properties that a file of declarations exports, those with and without words. */
function wordsIn(path: string): { described: number; undescribed: string[] } {
  const program = ts.createProgram([path], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    types: ['node'],
    typeRoots: [join(packageDir, '../../node_modules/@types')],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(path)
  const exported = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (exported === undefined) throw new Error(`${path} exports nothing`)
  const seen = new Set<ts.Type>()
  const undescribed: string[] = []
  let described = 0
  const visit = (type: ts.Type, at: string): void => {
    if (seen.has(type)) return
    seen.add(type)
    if (type.isUnionOrIntersection()) {
      for (const part of type.types) visit(part, at)
      return
    }
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) visit(argument, at)
    for (const property of type.getProperties()) {
      // Those of the language's own types are described where they are.
      const own = property.declarations?.find((one) => one.getSourceFile().fileName.startsWith(dist))
      if (own === undefined) continue
      const name = `${at}.${property.name}`
      if (property.getDocumentationComment(checker).length === 0) undescribed.push(name)
      else described += 1
      visit(checker.getTypeOfSymbolAtLocation(property, own), name)
    }
  }
  for (const symbol of checker.getExportsOfModule(exported)) {
    const actual = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    visit(checker.getDeclaredTypeOfSymbol(actual), symbol.name)
  }
  return { described, undescribed }
}
