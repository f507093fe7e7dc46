import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { expect, test } from 'vitest'
import { lockFolder } from '../src/folder-lock.ts'

const newFolder = async () => {
  const folder = await testFolder()
  return folder
}

test('a locked folder is refused with its holder until it is released', async () => {
  const folder = await newFolder()
  const release = await lockFolder(folder)

  await expect(lockFolder(folder)).rejects.toThrow(
    `process ${process.pid} already runs the system on ${folder}: stop it first (Ctrl-C)`,
  )

  release()
  const releaseAgain = await lockFolder(folder)
  releaseAgain()
  expect(existsSync(join(folder, 'dev.lock'))).toBe(false)
})

test('a missing folder is created', async () => {
  const folder = join(await newFolder(), 'deep/er')

  const release = await lockFolder(folder)

  expect(existsSync(join(folder, 'dev.lock'))).toBe(true)
  release()
})

test.each(['', '1', '{"pid":'])(
  'a lock file with %j that a process left behind is taken over',
  async (left) => {
    const folder = await newFolder()
    await writeFile(join(folder, 'dev.lock'), left)

    const release = await lockFolder(folder)

    await expect(lockFolder(folder)).rejects.toThrow(`process ${process.pid} already runs the system`)
    release()
  },
)

test('a folder is free again after the process that held it was killed', async () => {
  const folder = await newFolder()
  const source = new URL('../src/folder-lock.ts', import.meta.url).href
  const script = `import(${JSON.stringify(source)}).then(({ lockFolder }) => lockFolder(process.argv[1]))
    .then(() => { console.log('locked'); setInterval(() => undefined, 1_000) })`
  const holder = spawn(process.execPath, ['-e', script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  await expect(lockFolder(folder)).rejects.toThrow(`process ${holder.pid} already runs the system`)

  holder.kill('SIGKILL')
  await once(holder, 'exit')

  const release = await lockFolder(folder)
  release()
})
