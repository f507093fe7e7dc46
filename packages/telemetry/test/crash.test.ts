import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'

const canary = '237670000001'

const head = `
  import { pbkdf2 } from 'node:crypto'
  import { createLog } from '${new URL('../src/log/log.ts', import.meta.url).href}'
  import { logCrashes } from '${new URL('../src/log/crash.ts', import.meta.url).href}'
  const crashes = logCrashes('worker')
  class DatabaseError extends Error { name = 'DatabaseError' }
  const error = Object.assign(new DatabaseError('duplicate key (${canary})'), {
    code: '23505', detail: 'Key (phone)=(${canary})', headers: { authorization: 'Bearer ${canary}' },
    cause: new Error('${canary}'),
  })`

const folder = mkdtempSync(join(tmpdir(), 'merchant-payments-crash-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function crash(program: string) {
  const path = join(folder, `${randomUUID()}.mjs`)
  writeFileSync(path, `${head}\n${program}`)
  const child = spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { code: code as number, lines, printed: stdout + stderr }
}

describe('an uncaught error ends the process after a line without its values', () => {
  test.each([
    ['thrown', 'uncaughtException', 'setTimeout(() => { throw error })'],
    ['rejected', 'unhandledRejection', 'setTimeout(() => void Promise.reject(error))'],
    ['while the process starts', 'unhandledRejection', 'await Promise.reject(error)'],
  ])('%s', async (_, origin, program) => {
    const { code, lines, printed } = await crash(`
      crashes.log = createLog('worker', 'info')
      crashes.log.info('before')
      ${program}`)
    expect(code).toBe(1)
    expect(lines).toMatchObject([
      { msg: 'before' },
      {
        level: 'fatal',
        app: 'worker',
        msg: 'crashed',
        origin,
        err: { type: 'DatabaseError', code: '23505' },
      },
    ])
    expect(printed).not.toContain(canary)
  })

  test('after a line that waits for the busy thread pool', async () => {
    const { lines } = await crash(`
      for (let n = 0; n < 8; n += 1) pbkdf2('', '', 100_000, 32, 'sha256', () => undefined)
      crashes.log = createLog('worker', 'info')
      crashes.log.info('before')
      throw error`)
    expect(lines).toMatchObject([{ msg: 'before' }, { msg: 'crashed' }])
  })

  test('before a log exists', async () => {
    const { code, lines, printed } = await crash('throw error')
    expect(code).toBe(1)
    expect(lines).toMatchObject([{ level: 'fatal', msg: 'crashed', err: { type: 'DatabaseError' } }])
    expect(printed).not.toContain(canary)
  })

  test('a rejection with a value that is not an Error', async () => {
    const { code, lines, printed } = await crash(`await Promise.reject({ msisdn: '${canary}' })`)
    expect(code).toBe(1)
    expect(lines).toMatchObject([{ level: 'fatal', msg: 'crashed' }])
    expect(printed).not.toContain(canary)
  })
})
