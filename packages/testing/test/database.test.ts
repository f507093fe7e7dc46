import { cloneDatabase } from '@merchant-payments/testing'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { runStatement } from '../src/client.ts'

test('two clones made at once are independent', async () => {
  const [one, other] = await Promise.all([cloneDatabase(), cloneDatabase()])

  await runStatement(one.url, 'create table mark (id int)')

  const tables = "select to_regclass('mark') as mark"
  expect(await runStatement(one.url, tables)).toEqual([{ mark: 'mark' }])
  expect(await runStatement(other.url, tables)).toEqual([{ mark: null }])
  await Promise.all([one.drop(), other.drop()])
})

test('a clone is dropped despite open connections, and dropping it again does nothing', async () => {
  const { url, drop } = await cloneDatabase()
  const client = new Client({ connectionString: url })
  const cut = new Promise<Error>((resolve) => client.on('error', resolve))
  await client.connect()

  await drop()
  await drop()

  expect(await cut).toBeInstanceOf(Error)
  await expect(runStatement(url, 'select 1')).rejects.toMatchObject({ code: '3D000' })
})
