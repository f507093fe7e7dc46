import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** The thread pool is busy, so the first line is still being written when the last one is logged. */
const program = `
  import { pbkdf2 } from 'node:crypto'
  import { setTimeout as delay } from 'node:timers/promises'
  import { createLog, endLog } from '${new URL('../src/log/log.ts', import.meta.url).href}'
  const log = createLog('worker', 'info')
  for (let n = 0; n < 8; n += 1) pbkdf2('', '', 100_000, 32, 'sha256', () => undefined)
  log.info('stopping')
  await delay(1)
  log.info('stopped')
  await endLog(log)
  process.exit(0)`

test('endLog: prints every line in order', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  const messages = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages).toEqual(['stopping', 'stopped'])
})

test('nothing is written while there is no line', async () => {
  const program = `
    import fs from 'node:fs'
    import { setTimeout as delay } from 'node:timers/promises'
    const { write } = fs
    let writes = 0
    fs.write = (...args) => {
      writes += 1
      return write(...args)
    }
    const { createLog } = await import('${new URL('../src/log/log.ts', import.meta.url).href}')
    const log = createLog('worker', 'info')
    log.info('stopping')
    log.info('stopped')
    await delay(1_000)
    console.error(writes)`
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    program,
  ])
  expect(stdout.trim().split('\n')).toHaveLength(2)
  expect(stderr.trim()).toBe('1')
})

test('a line that comes during a write is written without another line', async () => {
  // The first write begins when 4 KiB wait, and the lines after it are fewer. The thread pool is busy for longer than a
  // line waits, so the write has not ended when they are due.
  const program = `
    import { pbkdf2 } from 'node:crypto'
    import { createLog } from '${new URL('../src/log/log.ts', import.meta.url).href}'
    const log = createLog('worker', 'info')
    for (let n = 0; n < 8; n += 1) pbkdf2('', '', 1_000_000, 32, 'sha256', () => undefined)
    for (let n = 0; n < 80; n += 1) log.info('stopping')
    log.info('stopped')
    setInterval(() => undefined, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  let written = ''
  for await (const chunk of child.stdout) {
    written += String(chunk)
    if (written.includes('"msg":"stopped"')) break
  }
  expect(written.trim().split('\n')).toHaveLength(81)
})

test('a line is written without another line, and while the program goes on', async () => {
  const program = `
    import { createLog } from '${new URL('../src/log/log.ts', import.meta.url).href}'
    createLog('worker', 'info').info('started')
    setInterval(() => undefined, 1_000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer]
  expect(JSON.parse(chunk.toString())).toMatchObject({ msg: 'started' })
})
