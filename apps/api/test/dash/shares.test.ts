import { connect as connectTo } from '@merchant-payments/testing/client'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { SESSION_COOKIE } from '../../src/dash/cookies.ts'
import { send } from '../send.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi()
afterAll(() => api.stop())

/** Keeps each request that looks for a session in its slot. */
async function holdSessions() {
  const other = await connectTo(api.databaseUrl)
  onTestFinished(() => other.end())
  await other.query('begin; lock table staff_sessions')
  return { release: () => other.query('rollback') }
}

const askAs = async (cookie: string) =>
  (await send(api.origin, { method: 'GET', path: '/dash/v1/me', headers: { cookie } })).status

const running = () => api.figure('requests_running{surface="staff"}')

/** More than the surface runs and keeps waiting. */
const FLOOD = 100

const count = (statuses: readonly number[], wanted: number) =>
  statuses.filter((status) => status === wanted).length

test('strangers with made-up cookies take no slots from staff', async () => {
  const [omar, vera] = [await api.signInAs('omar'), await api.signInAs('vera')]
  const held = await holdSessions()
  const flood = Array.from({ length: FLOOD }, (_, n) =>
    askAs(`${SESSION_COOKIE}=${n % 2 === 0 ? `made-up-${n}` : `made-up-${n}.${'a'.repeat(43)}`}`),
  )
  expect(await Promise.race(flood)).toBe(503)
  const strangers = await running()
  const members = [omar, vera].map(async (member) => (await member.get('/me')).status)
  await expect.poll(running).toBe(strangers + 2)
  await held.release()
  expect(await Promise.all(members)).toEqual([200, 200])
  const statuses = await Promise.all(flood)
  expect(count(statuses, 401)).toBeGreaterThan(0)
  expect(count(statuses, 401) + count(statuses, 503)).toBe(FLOOD)
})

test('a session that floods leaves slots to the others', async () => {
  const [omar, vera] = [await api.signInAs('omar'), await api.signInAs('vera')]
  const held = await holdSessions()
  const flood = Array.from({ length: FLOOD }, async () => (await omar.get('/me')).status)
  expect(await Promise.race(flood)).toBe(503)
  const ofOmar = await running()
  const answer = vera.get('/me')
  await expect.poll(running).toBe(ofOmar + 1)
  await held.release()
  expect((await answer).status).toBe(200)
  await Promise.all(flood)
})

test('a request without a cookie takes no slot', async () => {
  const held = await holdSessions()
  const statuses = await Promise.all(Array.from({ length: FLOOD }, () => askAs('other=1')))
  expect(count(statuses, 401)).toBe(FLOOD)
  await held.release()
})
