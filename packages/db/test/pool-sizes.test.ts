import { cloneDatabase } from '@merchant-payments/testing'
import { limitConnections } from '@merchant-payments/testing/operator'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { fitPools, openDatabase, type PoolSize, prepareDatabase, type Reader, within } from '../src/index.ts'
import type { AskedConnections } from '../src/pool-sizes.ts'

const LIMIT = 60
const noted = { onAway: () => undefined, onConnectionLost: () => undefined }
const sharedBy = { apis: 2, workers: 2 }

const sleep = (reader: Reader) => reader.selectFrom(sql`pg_sleep(0.2)`.as('slept')).selectAll().execute()

/** Keeps every pool of two apis and two workers busy at once. Returns the codes of the errors. */
async function useAllPools(asked: AskedConnections): Promise<unknown[]> {
  const { url: ownerUrl, appUrl: url, drop } = await cloneDatabase()
  onTestFinished(drop)
  await limitConnections(ownerUrl, LIMIT)
  const options = { url, namedStatements: true, livemode: false, migrateOnBoot: false, ...noted }
  const { connectionLimit } = await prepareDatabase(options)
  expect(connectionLimit).toBe(LIMIT)
  const { api, worker } = fitPools(asked, connectionLimit)
  const process = (pools: Readonly<Record<string, PoolSize>>) => Object.values(pools)
  const sizes = [api, api, worker, worker].flatMap(process)
  const databases = sizes.map((size) =>
    openDatabase({ url, applicationName: 'pools-test', namedStatements: true, ...noted, ...size }),
  )
  onTestFinished(async () => {
    await Promise.all(databases.map((db) => db.close()))
  })
  const calls = databases.flatMap((db, n) => {
    const { poolSize = 0, readConnections = 0, listConnections = 0 } = sizes[n] ?? {}
    return [
      ...Array.from({ length: 2 * poolSize }, () => db.transact((tx) => sleep(within(tx).reader))),
      ...Array.from({ length: 2 * readConnections }, () => sleep(db.reader)),
      ...Array.from({ length: 2 * listConnections }, () => sleep(db.lists)),
    ]
  })
  const ended = await Promise.allSettled(calls)
  return ended.flatMap((end) => (end.status === 'rejected' ? [(end.reason as { code: string }).code] : []))
}

test('processes that share a database of few connections fit into it, with every pool in use', async () => {
  expect(await useAllPools({ readConnections: 4, sharedBy })).toEqual([])
})

test('processes that do not reduce their pools exceed the connections of the database', async () => {
  const codes = await useAllPools({ poolSize: 16, readConnections: 4, sharedBy })
  expect([...new Set(codes)]).toEqual(['53300'])
})
