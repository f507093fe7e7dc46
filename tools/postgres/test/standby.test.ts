import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Postgres, startPostgres, startStandby } from '@merchant-payments/postgres'
import { Client } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'

// Each test creates two clusters, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const settings = { fsync: 'off' }

const temporaryDir = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'merchant-payments-standby-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  return dir
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

const keep = (server: Postgres): Postgres => {
  onTestFinished(async () => {
    await server.stop()
    await rm(server.dataDir, { recursive: true, force: true })
  })
  return server
}

test('a standby follows its primary, and takes writes once it is promoted', async () => {
  const dataDir = await temporaryDir()
  const primary = keep(await startPostgres({ dataDir: await temporaryDir(), settings }))
  await query(primary.url, 'create table kept as select 1 as id')
  const standby = keep(await startStandby(primary, { name: 'one', dataDir, settings }))
  await query(primary.url, 'insert into kept values (2)')
  const rows = () => query(standby.url, 'select id from kept order by id')
  await expect.poll(rows).toEqual([{ id: 1 }, { id: 2 }])
  await expect(query(standby.url, 'insert into kept values (3)')).rejects.toMatchObject({ code: '25006' })

  await primary.kill()
  expect(primary.hasEnded()).toBe(true)
  await expect(query(primary.url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await query(standby.url, 'select pg_promote()')
  await query(standby.url, 'insert into kept values (3)')
  expect(await rows()).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
})

test('a standby can be made again in the same folder, under the same name', async () => {
  const options = { name: 'one', dataDir: await temporaryDir(), settings }
  const primary = keep(await startPostgres({ dataDir: await temporaryDir(), settings }))
  const first = await startStandby(primary, options)
  await first.stop()
  await query(primary.url, 'create table kept as select 1 as id')
  const second = keep(await startStandby(primary, options))
  await expect.poll(() => query(second.url, 'select id from kept')).toEqual([{ id: 1 }])
})
