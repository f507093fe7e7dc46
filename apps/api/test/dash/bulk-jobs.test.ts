import { deliveryDelaysMs, RECOVERY_MS } from '@merchant-payments/contract/delivery-ladder'
import { runBulkJobs } from '@merchant-payments/core'
import { runStatement } from '@merchant-payments/testing/client'
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { raiseAlerts } from '../raise.ts'
import { cancelCall, canceledIntent, confirmCall, confirmedIntent, createIntent } from '../steps.ts'
import { type StaffMember, startStaffApi } from './staff.ts'
import { attempt, failFanouts, fanOutToMain } from './webhooks.ts'

const HOUR_MS = 3_600_000

const api = await startStaffApi()
const vera = await api.signInAs('vera')
const omar = await api.signInAs('omar')
const olga = await api.signInAs('olga')
afterAll(() => api.stop())
afterEach(async () => {
  for (const { id } of (await omar.get('/bulk_jobs?status=running')).body.data) await cancel(id)
})

const cancel = (id: string) => omar.post(`/bulk_jobs/${id}/cancel`, { reason: 'The test is over.' })
const jobOf = async (id: string) => (await vera.get(`/bulk_jobs/${id}`)).body
const entriesOf = async (target: string) => (await vera.get(`/audit_entries?target=${target}`)).body.data

async function exhausted(count: number): Promise<string[]> {
  for (let made = 0; made < count; made += 1) await canceledIntent(api)
  await fanOutToMain(api)
  await attempt(api, 'refused')
  const { data } = (await vera.get(`/deliveries?status=exhausted&limit=${Math.min(count, 100)}`)).body
  return data.map(({ id }: { id: string }) => id)
}

const formOf = (kind: string, ids: readonly string[]) => ({
  kind,
  ...Object.fromEntries(ids.map((id, at) => [`ids[${at}]`, id])),
  reason: 'Their receiver is back.',
})

const create = async (kind: string, ids: readonly string[], who = omar): Promise<string> => {
  const { status, body } = await who.post('/bulk_jobs', formOf(kind, ids))
  expect([status, body.action]).toEqual([200, 'bulk_job.create'])
  return body.target
}

const run = async () => {
  while ((await runBulkJobs({ ...api, alert: () => expect.unreachable('no job is stuck') })).full);
}

const recover = (who: StaffMember, more: Readonly<Record<string, string>> = {}, merchant = 'acme') =>
  who.post(`/merchant_clients/${merchant}/recover`, {
    endpoint: 'main',
    from: '1767225600',
    reason: 'Their receiver is back.',
    ...more,
  })

describe('dash.bulkJobs.create', () => {
  test('200: takes the alerts that nobody handles, and leaves those of a colleague to them', async () => {
    for (let made = 0; made < 2; made += 1) {
      const { id } = await confirmedIntent(api)
      await raiseAlerts(api, (await vera.get(`/payment_intents/${id}`)).body.charge.id, { merchant: 'acme' })
    }
    const items = async () => (await vera.get('/attention_items?status=waiting')).body.data.slice(0, 2)
    const [free, taken] = (await items()).map(({ id }: { id: string }) => id)
    const job = await create('attention.acknowledge', [free, taken])
    expect((await olga.post(`/attention_items/${taken}/acknowledge`, { reason: 'Mine.' })).status).toBe(200)
    await run()
    expect(await jobOf(job)).toMatchObject({ status: 'finished', done: 1, skipped: 1 })
    expect(await items()).toMatchObject([
      { id: free, assignee: { subject: 'omar' } },
      { id: taken, assignee: { subject: 'olga' } },
    ])
  })

  test('200: replays each selected delivery, with an entry of its own, and leaves others alone', async () => {
    const [one = '', two = '', three = ''] = await exhausted(3)
    await omar.post(`/deliveries/${two}/replay`, { reason: 'Tried alone.' })
    const id = await create('delivery.replay', [three, one, two, one])
    expect(await jobOf(id)).toMatchObject({
      status: 'running',
      objects: 3,
      done: 0,
      skipped: 0,
      finished_at: null,
    })
    await run()
    expect(await jobOf(id)).toEqual({
      id,
      object: 'bulk_job',
      kind: 'delivery.replay',
      merchant: null,
      endpoint: null,
      from: null,
      until: null,
      status: 'finished',
      objects: 3,
      done: 2,
      skipped: 1,
      reason: 'Their receiver is back.',
      created_by: { subject: 'omar', name: 'Omar Operator' },
      created: expect.any(Number),
      finished_at: expect.any(Number),
    })
    for (const delivery of [one, three]) {
      expect((await vera.get(`/deliveries/${delivery}`)).body).toMatchObject({
        status: 'pending',
        attempts_before: 1,
      })
      expect(await entriesOf(delivery)).toMatchObject([
        {
          action: 'delivery.replay',
          actor: { subject: 'omar', role: 'operator' },
          merchant: 'acme',
          reason: 'Their receiver is back.',
          before: { status: 'exhausted', attempts: 1, dead_lettered: false },
          after: { status: 'pending', attempts: 0, dead_lettered: false, bulk_job: id },
        },
      ])
    }
    expect(await entriesOf(two)).toMatchObject([{ reason: 'Tried alone.' }])
    expect(await entriesOf(id)).toMatchObject([
      { action: 'bulk_job.create', merchant: null, after: { objects: 3 } },
    ])
    await attempt(api, 'succeeded')
  })

  test('200: retries failed fan-outs', async () => {
    await canceledIntent(api)
    await canceledIntent(api)
    await failFanouts(api)
    const { data } = (await vera.get('/fanouts?state=failed')).body
    const events = data.map((event: { id: string }) => event.id)
    const id = await create('fanout.retry', events)
    await run()
    expect(await jobOf(id)).toMatchObject({ status: 'finished', done: 2 })
    expect((await vera.get('/fanouts?state=failed')).body.data).toEqual([])
    expect(await entriesOf(events[0])).toMatchObject([
      { action: 'fanout.retry', before: { state: 'failed', failures: 5 }, after: { state: 'pending' } },
    ])
    await fanOutToMain(api)
    await attempt(api, 'succeeded')
  })

  test('200: asks the rails for charges', async () => {
    const { id: intent } = await confirmedIntent(api, 'staysPending')
    const { charge } = (await vera.get(`/payment_intents/${intent}`)).body
    const id = await create('charge.query', [charge.id])
    await run()
    expect(await jobOf(id)).toMatchObject({ status: 'finished', done: 1 })
    expect(await entriesOf(charge.id)).toMatchObject([
      { action: 'charge.query', before: { next_query_at: expect.any(Number) } },
    ])
  })

  test('400: an id of another kind, none, or more than a hundred', async () => {
    const hex = '0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
    for (const ids of [
      [`ch_${hex}`],
      [`wd_${hex}`, 'x'],
      [],
      Array.from({ length: 101 }, () => `wd_${hex}`),
    ]) {
      expect(await omar.post('/bulk_jobs', formOf('delivery.replay', ids))).toBeRefusal(
        'invalid_request',
        'ids',
      )
    }
    expect(await omar.post('/bulk_jobs', formOf('refund.create', [`pi_${hex}`]))).toBeRefusal(
      'invalid_request',
      'kind',
    )
  })

  test('409: a member has three running jobs; another member can start one', async () => {
    const id = 'wd_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
    for (let made = 0; made < 3; made += 1) await create('delivery.replay', [id])
    expect(await omar.post('/bulk_jobs', formOf('delivery.replay', [id]))).toBeRefusal('bulk_job_limit')
    await create('delivery.replay', [id], olga)
  })

  test('409: of five requests at once, three start a job', async () => {
    const id = 'wd_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => omar.post('/bulk_jobs', formOf('delivery.replay', [id]))),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 409, 409])
    expect((await omar.get('/bulk_jobs?status=running')).body.data).toHaveLength(3)
  })
})

describe('dash.merchantClients.recover', () => {
  test('200: replays what the endpoint missed in a time, and nothing else', async () => {
    const before = await exhausted(2)
    api.advance(300_000)
    const sinceSec = Math.floor(api.clock() / 1_000)
    api.advance(5_000)
    const missed = await exhausted(3)
    const { status, body } = await recover(omar, { from: String(sinceSec) })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        action: 'bulk_job.create',
        merchant: 'acme',
        after: { kind: 'delivery.replay', objects: 3, endpoint: 'main', from: sinceSec },
      },
    })
    await run()
    expect(await jobOf(body.target)).toMatchObject({
      status: 'finished',
      merchant: 'acme',
      endpoint: 'main',
      from: sinceSec,
      objects: 3,
      done: 3,
      skipped: 0,
    })
    const left = (await vera.get('/deliveries?status=exhausted&limit=100')).body.data
    expect(left.map(({ id }: { id: string }) => id).toSorted()).toEqual(before.toSorted())
    const [last = ''] = missed
    expect(await entriesOf(last)).toHaveLength(1)
    await attempt(api, 'succeeded')
  })

  test('200: the time that the dashboard proposes has what the ladder gave up in the last day', async () => {
    const own = await startStaffApi()
    onTestFinished(() => own.stop())
    await canceledIntent(own)
    await fanOutToMain(own)
    await attempt(own, 'failed')
    for (const delayMs of deliveryDelaysMs) {
      own.advance(delayMs)
      await attempt(own, 'failed')
    }
    own.advance(12 * HOUR_MS)
    const member = await own.signInAs('omar')
    const { data } = (await member.get('/deliveries')).body
    expect(data).toMatchObject([{ status: 'exhausted', attempts: 8 }])
    const objectsSince = async (agoMs: number) => {
      const from = String(Math.floor((own.clock() - agoMs) / 1_000))
      const { body } = await recover(member, { from })
      await member.post(`/bulk_jobs/${body.target}/cancel`, { reason: 'The test goes on.' })
      return body.after.objects
    }
    expect(await objectsSince(24 * HOUR_MS)).toBe(0)
    expect(await objectsSince(RECOVERY_MS)).toBe(1)
  })

  test('400: a time that ends before it begins, and an unknown endpoint', async () => {
    expect(await recover(omar, { until: '1767225600' })).toBeRefusal('invalid_request', 'from')
    expect(await recover(omar, { from: 'yesterday' })).toBeRefusal('invalid_request', 'from')
    for (const endpoint of ['', 'other']) {
      expect(await recover(omar, { endpoint })).toBeRefusal('invalid_request', 'endpoint')
    }
  })

  test('404: a merchant that is not registered', async () => {
    expect(await recover(omar, {}, 'nobody')).toBeRefusal('resource_missing')
  })

  test('409: another job sends the endpoint’s deliveries again', async () => {
    expect((await recover(omar)).status).toBe(200)
    expect(await recover(olga)).toBeRefusal('bulk_job_limit')
    await cancel((await omar.get('/bulk_jobs?status=running')).body.data[0].id)
    expect((await recover(olga)).status).toBe(200)
  })
})

describe('dash.bulkJobs.cancel', () => {
  test('200: ends the job, and what it did stays', async () => {
    const [delivery = ''] = await exhausted(1)
    const id = await create('delivery.replay', [delivery])
    const { status, body } = await cancel(id)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        action: 'bulk_job.cancel',
        target: id,
        before: { status: 'running' },
        after: { status: 'canceled', done: 0 },
      },
    })
    await run()
    expect(await jobOf(id)).toMatchObject({ status: 'canceled', done: 0 })
    expect((await vera.get(`/deliveries/${delivery}`)).body.status).toBe('exhausted')
  })

  test('409: a job that has ended', async () => {
    const id = await create('delivery.replay', ['wd_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'])
    await run()
    expect(await jobOf(id)).toMatchObject({ status: 'finished', done: 0, skipped: 1 })
    expect(await cancel(id)).toBeRefusal('bulk_job_not_running')
  })
})

describe('dash.bulkJobs.retrieve', () => {
  test('404: no such job', async () => {
    expect(await vera.get('/bulk_jobs/blk_0193f2d5e0a07c3e9b1a2b3c4d5e6f70')).toBeRefusal('resource_missing')
  })
})

describe('dash.bulkJobs.list', () => {
  test('200: newest first, by state', async () => {
    const one = await create('delivery.replay', ['wd_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'])
    const two = await create('delivery.replay', ['wd_0193f2d5e0a07c3e9b1a2b3c4d5e6f70'])
    const ids = async (query: string) =>
      (await vera.get(`/bulk_jobs?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids('status=running')).toEqual([two, one])
    expect(await ids('limit=1')).toEqual([two])
    expect(await ids(`limit=1&starting_after=${two}`)).toEqual([one])
  })
})

describe('a job with objects of a merchant that has moved away', () => {
  /** As the move leaves them: nobody may write what the merchant has here. */
  async function leave(merchant: string): Promise<void> {
    const tables = ['charge_jobs', 'fanout_jobs', 'deliveries', 'attention_items']
    const fences = tables.map(
      (table) => `create trigger a_merchant_move before insert or update or delete on ${table}
        for each row execute function refuse_while_moving()`,
    )
    await runStatement(
      api.databaseUrl,
      [
        `insert into merchant_moves (merchant_id, state, move_id, other_cell)
          values ('${merchant}', 'left', gen_random_uuid(), 'cell_b')`,
        ...fences,
      ].join(';'),
    )
    onTestFinished(async () => {
      const drops = tables.map((table) => `drop trigger a_merchant_move on ${table}`)
      await runStatement(api.databaseUrl, ['delete from merchant_moves', ...drops].join(';'))
    })
  }

  const intents = async () => {
    const made = []
    for (const merchant of ['acme', 'globex', 'acme']) {
      const { id } = await createIntent(api, '', { merchant })
      made.push({ id, merchant })
    }
    return made
  }
  const charges = async () => {
    const made = []
    for (const { id, merchant } of await intents()) {
      await api.call(confirmCall(id, 'staysPending', { merchant }))
      const { charge } = (await vera.get(`/payment_intents/${id}`)).body
      made.push({ id: String(charge.id), merchant })
    }
    return made
  }
  const chargeIds = async () => (await charges()).map(({ id }) => id)
  const events = async () => {
    for (const { id, merchant } of await intents()) await api.call(cancelCall(id, { merchant }))
  }
  const idsOf = async (path: string) =>
    (await vera.get(path)).body.data.map(({ id }: { id: string }) => id).slice(0, 3)
  const items = async () => {
    for (const { id, merchant } of await charges()) await raiseAlerts(api, id, { merchant })
    return idsOf('/attention_items?status=open')
  }

  test.each([
    ['charge.query', chargeIds],
    [
      'fanout.retry',
      async () => {
        await events()
        await failFanouts(api)
        return idsOf('/fanouts?state=failed')
      },
    ],
    [
      'delivery.replay',
      async () => {
        await events()
        await fanOutToMain(api)
        await attempt(api, 'refused')
        return idsOf('/deliveries?status=exhausted')
      },
    ],
    ['attention.acknowledge', items],
    ['attention.resolve', items],
  ] as const)('%s: skips them, and changes those of another merchant', async (kind, make) => {
    const ids = await make()
    expect(ids).toHaveLength(3)
    const [one = '', , other = ''] = ids
    const [mixed, gone] = [await create(kind, ids), await create(kind, [one, other])]
    await leave('acme')
    await run()
    expect(await jobOf(mixed)).toMatchObject({ status: 'finished', done: 1, skipped: 2 })
    expect(await jobOf(gone)).toMatchObject({ status: 'finished', done: 0, skipped: 2 })
  })
})
