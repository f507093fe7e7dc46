import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres, startStandby } from '@merchant-payments/postgres'
import { runStatement } from '@merchant-payments/testing/client'
import { expect, onTestFinished, test } from 'vitest'
import { archiveAll, copyBase, openSite, restoreTo, resume } from './point-in-time.ts'

/** Three starts of PostgreSQL, on a busy machine. */
const DRILL_MS = 120_000

test('a base that was made after a failover restores to a time after it, without the log of the old primary', {
  timeout: DRILL_MS,
}, async () => {
  const site = await openSite()
  onTestFinished(site.remove)
  const { settings } = site
  const primary = await startPostgres({ dataDir: join(site.folder, 'primary'), settings })
  onTestFinished(primary.stop)
  await runStatement(primary.url, 'create table payments (name text)')
  const standby = await startStandby(primary, { name: 'b', dataDir: join(site.folder, 'standby'), settings })
  onTestFinished(standby.stop)

  // The archive is away while the primary fills pieces of its log, and the primary dies with them.
  await rename(site.archive, `${site.archive}.away`)
  await runStatement(primary.url, `insert into payments values ('before')`)
  await runStatement(primary.url, 'select pg_switch_wal()')
  await runStatement(primary.url, `insert into payments values ('last')`)
  await expect.poll(() => runStatement(standby.url, 'select name from payments')).toHaveLength(2)
  await primary.kill()
  await rename(`${site.archive}.away`, site.archive)
  await runStatement(standby.url, 'select pg_promote()')
  const base = await copyBase(standby, site)

  await runStatement(standby.url, `insert into payments values ('promoted')`)
  const [good] = await runStatement<{ time: string }>(standby.url, 'select clock_timestamp()::text as time')
  await runStatement(standby.url, `insert into payments values ('mistake')`)
  await archiveAll(standby)
  const restored = await restoreTo(standby, site, { base, time: good?.time ?? '' })
  onTestFinished(restored.stop)
  await resume(restored)
  expect(await runStatement(restored.url, 'select name from payments')).toEqual(
    ['before', 'last', 'promoted'].map((name) => ({ name })),
  )
})
