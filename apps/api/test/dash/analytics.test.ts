import { recordBuild, rollUp } from '@merchant-payments/core'
import { afterAll, describe, expect, test } from 'vitest'
import { PUSH_RAIL, settle } from '../harness.ts'
import { confirmedIntent, succeededIntent } from '../steps.ts'
import { startStaffApi } from './staff.ts'

const api = await startStaffApi({ clock: 'still' })
const vera = await api.signInAs('vera')
await succeededIntent(api)
await confirmedIntent(api, 'declines')
await settle(api)
await confirmedIntent(api, 'staysPending')
await rollUp({ ...api, alert: () => undefined })
afterAll(() => api.stop())

/** The first whole second of so many days. */
const daysAgo = (days: number) => Math.floor(api.clock() / 1_000) - days * 86_400 + 1

describe('dash.analytics.retrieve', () => {
  test('200: outcomes, declines and the funnel of the last day', async () => {
    const { status, body } = await vera.get(`/analytics?size=hour&rail=${PUSH_RAIL}&zone=douala`)
    expect(status).toBe(200)
    const sum = (name: string) =>
      body.points.reduce((all: number, point: Record<string, number>) => all + (point[name] ?? 0), 0)
    expect({
      opened: sum('opened'),
      succeeded: sum('succeeded'),
      failed: sum('failed'),
      waiting: sum('waiting'),
      amount: sum('amount'),
    }).toEqual({ opened: 3, succeeded: 1, failed: 1, waiting: 1, amount: 5_000 })
    expect(body.declines).toEqual([{ rail: PUSH_RAIL, code: expect.any(String), count: 1 }])
    expect(body.funnel).toEqual({ created: 3, sent: 3, approved: 1 })
    expect(body.final_until).toBeLessThan(body.until)
    expect((await vera.get('/analytics?merchant=globex')).body.points).toEqual([])
    expect((await vera.get('/analytics?size=5m')).body.points.length).toBeGreaterThan(0)
  })

  test('200: builds that first ran in the time, each once', async () => {
    const run = (app: 'api' | 'worker', build: string) =>
      recordBuild(api, app, { MERCHANT_PAYMENTS_BUILD: build })
    await run('api', '1.2.0 abc')
    api.advance(1_000)
    await run('worker', '1.2.0 abc')
    await run('api', '1.2.0 abc')
    await recordBuild(api, 'api', {})
    await run('api', ' ')
    api.advance(1_000)
    const { builds } = (await vera.get('/analytics')).body
    expect(builds).toMatchObject([
      { app: 'api', build: '1.2.0 abc' },
      { app: 'worker', build: '1.2.0 abc' },
    ])
    expect(builds[1].at - builds[0].at).toBe(1)
    const startOfHour = Math.floor(builds[0].at / 3_600) * 3_600
    expect((await vera.get(`/analytics?created[lt]=${startOfHour}`)).body.builds).toEqual([])
  })

  test.each([
    [1, 'hour'],
    [31, 'hour'],
    [32, 'day'],
    [92, 'day'],
  ])('200: a time of %i days is in buckets of a size that allows it: %s', async (days, size) => {
    const { status, body } = await vera.get(`/analytics?created[gte]=${daysAgo(days)}`)
    expect({ status, size: body.size }).toEqual({ status: 200, size })
  })

  test('400: a longer time than the size of the buckets allows', async () => {
    expect(await vera.get(`/analytics?created[gte]=${daysAgo(93)}`)).toBeRefusal('invalid_request', 'created')
    for (const [size, days] of [
      ['5m', 2],
      ['hour', 32],
      ['day', 93],
    ] as const) {
      const answer = await vera.get(`/analytics?size=${size}&created[gte]=${daysAgo(days)}`)
      expect(answer).toBeRefusal('invalid_request', 'created')
    }
  })
})

describe('dash.railHealth.list', () => {
  test('200: each rail with its last hour and its last error', async () => {
    const { body } = await vera.get('/rail_health')
    const rail = body.data.find(({ id }: { id: string }) => id === PUSH_RAIL)
    expect(rail).toMatchObject({
      object: 'rail_health',
      opened: 3,
      succeeded: 1,
      failed: 1,
      p50_ms: expect.any(Number),
      last_error: { code: expect.any(String), at: expect.any(Number) },
    })
    expect(body.data).toHaveLength(2)
  })
})
