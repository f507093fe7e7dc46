import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

test('a draft that a run left when it died is named, and the map stays', async () => {
  await writeFile(join(maps, 'clients.map.draft'), '')
  await expect(applyRoute(route('shop-1'), { maps, socket: null })).rejects.toThrow(
    `${join(maps, 'clients.map.draft')} is there`,
  )
  expect(await linesOf()).toEqual(['# who lives where', 'shop-1 cell_a'])
})
