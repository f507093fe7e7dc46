import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { applyEdit, patternOf, type Ran, verdictOf } from './mutants.ts'
import type { Mutation } from './mutations.ts'
import type { TestRef } from './test-ref.ts'
import { copyTree, type TreeCopy } from './tree-copy.ts'

/**
 * Tries each mutation in a copy of the tree, one at a time, and runs the tests that must see it. The tree
 * itself is never written; the copy goes with the run, however that ends.
 *
 * @returns what is wrong, a line each
 */
export async function tryMutations(
  mutations: readonly Mutation[],
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<string[]> {
  const copy = await copyTree()
  try {
    const mutants = await Promise.all(
      mutations.map(async (mutation) => ({ mutation, files: await mutated(copy, mutation) })),
    )
    const every = mutations.flatMap(({ seenBy }) => seenBy)
    log('no mutation')
    const sound = await runTests(copy, every, signal)
    const faults = every.flatMap((test) => verdictOf(test, sound, null) ?? [])
    if (faults.length > 0) return faults
    for (const { mutation, files } of mutants) {
      log(mutation.name)
      const run = await withFiles(copy, files, () => runTests(copy, mutation.seenBy, signal))
      faults.push(...mutation.seenBy.flatMap((test) => verdictOf(test, run, mutation.name) ?? []))
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

/** Runs these tests and no other. */
async function runTests(copy: TreeCopy, tests: readonly TestRef[], signal: AbortSignal): Promise<Ran[]> {
  signal.throwIfAborted()
  const outputFile = join(copy.path, '.results', `mutation-${process.hrtime.bigint()}.json`)
  const titles = [...new Set(tests.map(({ name }) => patternOf(name)))].join('|')
  const child = spawn(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--project=unit',
      '--project=system',
      '--project=in-process',
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
