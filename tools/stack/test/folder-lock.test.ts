import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockFolder } from '../src/folder-lock.ts'

const newFolder = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'merchant-payments-lock-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('a folder that is held is refused, with who holds it, until it is released', async () => {
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

test('a folder that does not exist is made', async () => {
  const folder = join(await newFolder(), 'deep/er')

  const release = await lockFolder(folder)

  expect(existsSync(join(folder, 'dev.lock'))).toBe(true)
  release()
})

test.each([
  ['whose process id and port belong to others by now', true],
  ['that nobody answers for', false],
])('a lock left behind %s is taken over', async (_name, isAnswered) => {
  const folder = await newFolder()
  const stranger = createServer((socket) => socket.end('something else'))
  stranger.listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  onTestFinished(() => void stranger.close())
  const { port } = stranger.address() as AddressInfo
  if (!isAnswered) stranger.close()
  await writeFile(join(folder, 'dev.lock'), JSON.stringify({ pid: process.pid, port, token: 'gone' }))

  const release = await lockFolder(folder)

  await expect(lockFolder(folder)).rejects.toThrow('already runs the system')
  release()
})

test('a lock that was never written to its end is taken over', async () => {
  const folder = await newFolder()
  await writeFile(join(folder, 'dev.lock'), '{"pid":')

  const release = await lockFolder(folder)

  await expect(lockFolder(folder)).rejects.toThrow('already runs the system')
  release()
})
