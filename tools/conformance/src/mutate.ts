import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { applyEdit, patternOf, type Ran, sentencesOf, verdictOf } from './mutants.ts'
import type { Mutation } from './mutations.ts'
import type { Sentence, TestRef } from './sentence.ts'
import { copyTree, type TreeCopy } from './tree-copy.ts'

/**
 * Tries each mutation in a copy of the tree, one at a time, and runs the tests of the sentences that must see it. The tree
 * itself is never written; the copy goes with the run, however that ends.
 *
 * @returns what is wrong, a line each
 */
export async function tryMutations(
  mutations: readonly Mutation[],
  sentences: readonly Sentence[],
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<string[]> {
  const tried = mutations.map((mutation) => ({ mutation, rows: sentencesOf(mutation, sentences) }))
  const copy = await copyTree()
  try {
    const mutants = await Promise.all(
      tried.map(async ({ mutation, rows }) => ({ mutation, rows, files: await mutated(copy, mutation) })),
    )
    const every = new Set(mutants.flatMap(({ rows }) => rows))
    log(`${every.size} sentences without a mutation`)
    const sound = await runTests(copy, [...every], signal)
    const faults = [...every].flatMap((row) => verdictOf(row, sound, null) ?? [])
    if (faults.length > 0) return faults
    for (const { mutation, rows, files } of mutants) {
      log(mutation.name)
      const run = await withFiles(copy, files, () => runTests(copy, rows, signal))
      faults.push(...rows.flatMap((row) => verdictOf(row, run, mutation.name) ?? []))
    }
    return faults
  } finally {
    await copy.remove()
  }
}

type Files = ReadonlyMap<string, { readonly before: string; readonly after: string }>

async function mutated(copy: TreeCopy, { edits }: Mutation): Promise<Files> {
  const files = new Map<string, { before: string; after: string }>()
  for (const edit of edits) {
    const before = files.get(edit.file)?.before ?? (await copy.read(edit.file))
    files.set(edit.file, { before, after: applyEdit(files.get(edit.file)?.after ?? before, edit) })
  }
  return files
}

async function withFiles<T>(copy: TreeCopy, files: Files, work: () => Promise<T>): Promise<T> {
  for (const [file, { after }] of files) await copy.write(file, after)
  const result = await work()
  for (const [file, { before }] of files) await copy.write(file, before)
  return result
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[]
      readonly title: string
      readonly status: string
    }[]
  }[]
}

/** Runs the tests of these sentences and no other. */
async function runTests(copy: TreeCopy, rows: readonly Sentence[], signal: AbortSignal): Promise<Ran[]> {
  signal.throwIfAborted()
  const tests: readonly TestRef[] = rows.flatMap((row) => row.tests)
  const outputFile = join(copy.path, '.results', `mutation-${process.hrtime.bigint()}.json`)
  const titles = [...new Set(tests.map(({ name }) => patternOf(name)))].join('|')
  const child = spawn(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--project=unit',
      '--project=system',
      '--reporter=json',
      `--outputFile=${outputFile}`,
      `--testNamePattern=${titles}`,
      ...new Set(tests.map(({ file }) => file)),
    ],
    { cwd: copy.path, stdio: 'ignore' },
  )
  const stop = () => child.kill('SIGTERM')
  signal.addEventListener('abort', stop)
  await once(child, 'exit').finally(() => signal.removeEventListener('abort', stop))
  signal.throwIfAborted()
  return ranIn(JSON.parse(await readFile(outputFile, 'utf8')) as Report, copy.path)
}

function ranIn({ testResults }: Report, path: string): Ran[] {
  return testResults.flatMap(({ name, assertionResults }) => {
    const file = relative(path, name).split(sep).join('/')
    return assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ ancestorTitles, title, status }) => ({
        file,
        titles: [...ancestorTitles, title],
        passed: status === 'passed',
      }))
  })
}
