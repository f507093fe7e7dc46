import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { endWithThisProcess } from '@merchant-payments/testing/end-with-this-process'
import { listen } from '@merchant-payments/testing/listen'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { describe, expect, test } from 'vitest'

/** The programs of the image that end by themselves. */
const programs = [
  ['migrate', ['status']],
  ['archive', ['verify']],
] as const
const signals = [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const
const cases = programs.flatMap(([name, args]) =>
  signals.map(([signal, code]) => ({ name, args, signal, code })),
)

/** As a container runtime does, with the program as process 1. */
const NAMESPACE = ['unshare', '--pid', '--fork', '--kill-child']

/** Why this machine makes no namespace of processes, if so. */
function namespaceFault(): string | null {
  const [program = '', ...options] = NAMESPACE
  try {
    execFileSync(program, [...options, 'true'], { stdio: 'ignore' })
    return null
  } catch {
    return 'this machine lets nobody make a namespace of processes'
  }
}

/** Starts a program, waits until it has called its database, which never answers, and sends it the signal. */
async function endedBy(
  { name, args, signal }: (typeof cases)[number],
  namespace: readonly string[],
): Promise<unknown> {
  const database = createServer()
  const port = await listen(database)
  const called = once(database, 'connection')
  const script = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url))
  const folder = name === 'archive' ? ['--folder', await testFolder()] : []
  const [program = '', ...rest] = [...namespace, process.execPath, script, ...args, ...folder]
  const env = { PATH: process.env['PATH'], DATABASE_OWNER_URL: `postgres://owner@127.0.0.1:${port}/payments` }
  const child = endWithThisProcess(spawn(program, rest, { env, stdio: 'ignore' }))
  const ended = once(child, 'close')
  await called
  process.kill(namespace.length > 0 ? await childOf(child.pid) : (child.pid ?? 0), signal)
  return ended
}

const childOf = async (pid = 0): Promise<number> =>
  Number(await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))

describe.each(cases)('$name ends with $code on $signal', (one) => {
  test('as any process', async () => {
    expect(await endedBy(one, [])).toEqual([one.code, null])
  })

  test('as process 1 of a container', async ({ skip }) => {
    const fault = namespaceFault()
    if (fault !== null) skip(fault)
    expect(await endedBy(one, NAMESPACE)).toEqual([one.code, null])
  })
})
