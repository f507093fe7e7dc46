import { once } from 'node:events'
import { connect } from 'node:net'
import { cloneDatabase } from '@merchant-payments/testing'
import { expect, onTestFinished, test } from 'vitest'
import { makeKey, startApi } from './api-process.ts'

const STOP_MAX_MS = 15_000

test('a stop does not wait for a connection without any request', async () => {
  const database = await cloneDatabase()
  onTestFinished(() => database.drop())
  const api = await startApi(makeKey('one'), {
    public_base_url: 'https://payments.merchant.example',
    database: { url: database.appUrl, pool_size: 2 },
  })
  const { address } = await api.said('ready')
  const { hostname, port } = new URL(String(address))
  const socket = connect({ host: hostname, port: Number(port) })
  await once(socket, 'connect')
  onTestFinished(() => void socket.destroy())

  api.kill('SIGTERM')
  const slow = AbortSignal.timeout(STOP_MAX_MS)
  const ended = await Promise.race([
    api.ended,
    once(slow, 'abort').then(() => ({ code: 'still running', stderr: '' })),
  ])
  expect(ended).toEqual({ code: 0, stderr: '' })
  expect(api.lines.at(-1)).toMatchObject({ msg: 'stopped' })
})
