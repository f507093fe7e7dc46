import { cloneDatabase } from '@merchant-payments/testing'
import { setReadOnly } from '@merchant-payments/testing/operator'
import { expect, onTestFinished, test } from 'vitest'
import { isReady, openDatabase, untilWritable } from '../src/index.ts'

function open(url: string) {
  const db = openDatabase({
    url,
    poolSize: 1,
    readConnections: 1,
    applicationName: 'boot-test',
    namedStatements: true,
    onConnectionLost: () => undefined,
  })
  onTestFinished(() => db.close())
  return db.reader
}

test('a start that waited long enough fails with the last error', async () => {
  const errors: unknown[] = []
  const away = open('postgres://api@127.0.0.1:1/payments')
  const waiting = untilWritable(away, { onAway: (error) => errors.push(error), waitMsMax: 2_000 })
  await expect(waiting).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(errors.length).toBeGreaterThan(0)
  for (const error of errors) expect(error).toMatchObject({ code: 'ECONNREFUSED' })
})

test.each([
  ['a database', '3D000', (url: URL) => Object.assign(url, { pathname: '/nowhere' })],
  ['a role', '28000', (url: URL) => Object.assign(url, { username: 'nobody' })],
])('a start does not wait for %s that does not exist', async (_what, code, change) => {
  const { appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  const reader = open(change(new URL(appUrl)).href)
  const onAway = () => expect.unreachable()
  await expect(untilWritable(reader, { onAway })).rejects.toMatchObject({ code })
})

test('a server that takes no writes is not ready, and its connection is not used again', async () => {
  const { url, appUrl, drop } = await cloneDatabase()
  onTestFinished(drop)
  await setReadOnly(url, 'on')
  const reader = open(appUrl)
  await expect(isReady(reader)).rejects.toMatchObject({ code: '25006' })
  await setReadOnly(url, 'off', 'kept')
  await expect.poll(() => isReady(reader).catch(() => false)).toBe(true)
})
