import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryFolder } from './temporary-folder.ts'

test('a folder is in memory if there is room, or else among the temporary files', async () => {
  const inMemory = await makeTemporaryFolder('folder-', { memoryFolder: tmpdir(), roomMinBytes: 0 })
  const onDisk = await makeTemporaryFolder('folder-', {
    memoryFolder: tmpdir(),
    roomMinBytes: Number.MAX_SAFE_INTEGER,
  })
  const parent = await mkdtemp(join(tmpdir(), 'no-memory-'))
  const elsewhere = await makeTemporaryFolder('folder-', {
    memoryFolder: join(parent, 'missing'),
    roomMinBytes: 0,
  })

  expect([inMemory.isInMemory, onDisk.isInMemory, elsewhere.isInMemory]).toEqual([true, false, false])
  expect([onDisk, elsewhere].map(({ path }) => dirname(path))).toEqual([tmpdir(), tmpdir()])

  for (const path of [inMemory.path, onDisk.path, elsewhere.path, parent]) await rm(path, { recursive: true })
})
