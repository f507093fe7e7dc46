import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { applyRoute } from '../src/move/routes.ts'

let maps: string
beforeEach(async () => {
  maps = await mkdtemp(join(tmpdir(), 'maps-'))
  await writeFile(join(maps, 'clients.map'), '# who lives where\nshop-1 cell_a\n')
})
afterEach(() => rm(maps, { recursive: true }))

const route = (key: string) => ({ map: 'clients.map', key, cell: 'cell_b' }) as const
const linesOf = async () => (await readFile(join(maps, 'clients.map'), 'utf8')).trim().split('\n')

test('moves that end at once each keep their line of the map', async () => {
  const keys = Array.from({ length: 12 }, (_, n) => `shop-${n + 1}`)
  await Promise.all(keys.map((key) => applyRoute(route(key), { maps, socket: null })))
  expect((await linesOf()).toSorted()).toEqual(
    ['# who lives where', ...keys.map((key) => `${key} cell_b`)].toSorted(),
  )
  expect(await readdir(maps)).toEqual(['clients.map'])
})

test('a map keeps its mode, its owner and its group, so that haproxy can read it at its next start', async () => {
  const file = join(maps, 'clients.map')
  await chmod(file, 0o640)
  const umask = process.umask(0o077)
  onTestFinished(() => {
    process.umask(umask)
  })
  const before = await stat(file)
  if (process.getuid?.() === 0) await chown(file, 1, 2)
  await applyRoute(route('shop-1'), { maps, socket: null })
  const { mode, uid, gid } = await stat(file)
  const isRoot = process.getuid?.() === 0
  expect([mode & 0o777, uid, gid]).toEqual([0o640, isRoot ? 1 : before.uid, isRoot ? 2 : before.gid])
  expect(await linesOf()).toEqual(['# who lives where', 'shop-1 cell_b'])
})

test('a draft that a run left when it died is named, and the map stays', async () => {
  await writeFile(join(maps, 'clients.map.draft'), '')
  await expect(applyRoute(route('shop-1'), { maps, socket: null })).rejects.toThrow(
    `${join(maps, 'clients.map.draft')} is there`,
  )
  expect(await linesOf()).toEqual(['# who lives where', 'shop-1 cell_a'])
})

test('a haproxy that takes the command and never answers ends the run, and the map stays', async () => {
  const socket = join(maps, 'haproxy.sock')
  const silent = createServer({ allowHalfOpen: true }, (connection) => connection.resume()).listen(socket)
  onTestFinished(() => void silent.close())
  await expect(applyRoute(route('shop-1'), { maps, socket })).rejects.toThrow(
    `haproxy did not answer at ${socket} within 5 s`,
  )
  expect(await linesOf()).toEqual(['# who lives where', 'shop-1 cell_a'])
})
