import {
  ATTEMPTS_MAX,
  delayAfterMs,
  ENDPOINT_MISSING_MAX_MS,
  JOB_THROWS_MAX,
  readDepths,
  uuidOf,
} from '@merchant-payments/core'
import { connect } from '@merchant-payments/testing/client'
import { createVerifier } from '@merchant-payments/webhook-verifier'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Egress } from '../src/egress/egress.ts'
import { createLanes } from '../src/lanes.ts'
import { DELIVERY_LANES, startDeliveries } from '../src/passes/deliver-webhooks.ts'
import { fanOutEvents } from '../src/passes/fan-out-events.ts'
import { buildEndpoints } from '../src/webhooks/endpoints.ts'
import {
  clientWith,
  deliverWebhooks,
  MERCHANT,
  movableClock,
  openTestDatabase,
  SECRET,
  START_MS,
  testEgress,
  useDatabase,
  workerDeps,
} from './harness.ts'
import { type Answer, answerWith, holdBack, startReceiver } from './receiver.ts'

const { claimMax: CLAIM_MAX } = DELIVERY_LANES

const database = useDatabase()
const { query, insertEvent } = database

const deliveries = () =>
  query('select endpoint_id, status, attempts, finished_at from deliveries order by endpoint_id, id')
const attempts = () =>
  query(`select number, started_at, duration_ms, status_code, error, response_excerpt
    from delivery_attempts order by delivery_id, number`)
const raised = () => query('select alert, object, merchant_id from raised_alerts')
const jobs = () => query('select due_at, lease_until, throws, dead_at from delivery_jobs order by due_at')

/** One event for one endpoint, fanned out and due. */
async function setUp({ url, ...options }: { url: string; egress?: Egress; secrets?: string[] }) {
  const { clock, advance } = movableClock()
  const client = clientWith({ id: 'main', url, ...(options.secrets && { secrets: options.secrets }) })
  const deps = workerDeps(database.db(), {
    clock,
    endpoints: [client],
    ...(options.egress && { egress: options.egress }),
  })
  const event = await insertEvent(clock())
  await fanOutEvents(deps)
  deps.faults.length = 0
  return { deps, event, advance, clock }
}

/** Deliveries to the endpoint `removed`. */
const insertPending = (count: number, dueAtMs: number) =>
  query(
    `with e as (
        insert into events (merchant_id, id, type, body, position)
        select $1, uuidv7(), 'customer.created', '{}', n from generate_series(1, $2::integer) n returning id
      ),
      d as (
        insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at)
        select $1, id, 'removed', uuidv7(), 'pending', now() from e returning id, event_id
      )
      insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at)
      select id, $1, event_id, 'removed', $3 from d`,
    [MERCHANT, count, new Date(dueAtMs)],
  )

const deliveryId = async () =>
  `wd_${String((await query('select id from deliveries'))[0]?.['id']).replaceAll('-', '')}`

describe('a delivery that succeeds', () => {
  test('is one signed POST of the event, recorded, and its job is deleted [§6.3.2, §6.3.3]', async () => {
    const receiver = await startReceiver(answerWith(202, {}, 'thank you'))
    const { deps, event, advance } = await setUp({ url: receiver.url })

    const report = await deliverWebhooks(deps)

    expect(report).toEqual({
      full: false,
      claimed: 1,
      finished: [{ deliveryId: await deliveryId(), status: 'succeeded' }],
    })
    const [post] = receiver.posts
    const signature = post?.headers['service-signature']
    expect(receiver.posts).toEqual([
      {
        path: '/hook?shop=1',
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'keep-alive',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(event.body)),
          'service-signature': expect.stringMatching(/^t=\d+,v1=[0-9a-f]{64}$/) as unknown,
          'compat-signature': signature,
          'service-event-id': event.id,
          'user-agent': 'merchant-payments-webhooks/1',
        },
        body: event.body,
      },
    ])
    const verifier = createVerifier({ secrets: SECRET, now: deps.clock })
    expect(await verifier.verify(post?.body ?? '', post?.headers ?? {})).toEqual(JSON.parse(event.body))
    expect(await deliveries()).toEqual([
      { endpoint_id: 'main', status: 'succeeded', attempts: 1, finished_at: new Date(START_MS) },
    ])
    expect(await attempts()).toEqual([
      {
        number: 1,
        started_at: new Date(START_MS),
        duration_ms: 0,
        status_code: 202,
        error: null,
        response_excerpt: 'thank you',
      },
    ])
    expect(await jobs()).toEqual([])
    expect(deps.faults).toEqual(['deliver.claimed', 'deliver.posted', 'deliver.committed'])
    expect(deps.alerts).toEqual([])

    advance(24 * 60 * 60_000)
    expect(await deliverWebhooks(deps)).toEqual({ full: false, claimed: 0, finished: [] })
  })

  test('carries one signature for each of two secrets [§6.3.3]', async () => {
    const receiver = await startReceiver(answerWith(200))
    const secrets = ['old_secret_0123456789abcdef0123456789', 'new_secret_0123456789abcdef0123456789']
    const { deps, event } = await setUp({ url: receiver.url, secrets })

    await deliverWebhooks(deps)

    const [post] = receiver.posts
    for (const secret of secrets) {
      const verifier = createVerifier({ secrets: secret, now: deps.clock })
      expect(await verifier.verify(post?.body ?? '', post?.headers ?? {})).toEqual(JSON.parse(event.body))
    }
  })
})

describe('a delivery that fails', () => {
  const delaysSec = [10, 30, 120, 600, 3_600, 21_600, 86_400]

  test.each<[string, Answer, number | null, string | null]>([
    ['with 500', answerWith(500), 500, null],
    ['with 410', answerWith(410), 410, null],
    ['with a redirect', answerWith(302, { location: 'http://127.0.0.1:1/' }), 302, null],
    ['without an answer', (response) => response.destroy(), null, 'reset'],
  ])(
    '%s makes eight POSTs at the times of the ladder, then is exhausted with one alert [§3.3, §6.3.5, §6.3.6]',
    async (_, answer, status, error) => {
      const receiver = await startReceiver(answer)
      const { deps, event, advance } = await setUp({ url: receiver.url })
      const postedAtSec: number[] = []
      const attempt = async () => {
        expect(deps.alerts).toEqual([])
        postedAtSec.push(Math.floor(deps.clock() / 1_000))
        expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1 })
      }

      await attempt()
      for (const delaySec of delaysSec) {
        advance(delaySec * 1_000 - 1)
        expect(await deliverWebhooks(deps)).toEqual({ full: false, claimed: 0, finished: [] })
        advance(1)
        await attempt()
      }
      advance(30 * 24 * 60 * 60_000)
      expect(await deliverWebhooks(deps)).toEqual({ full: false, claimed: 0, finished: [] })

      expect(receiver.posts).toHaveLength(8)
      expect(new Set(receiver.posts.map(({ body }) => body))).toEqual(new Set([event.body]))
      expect(receiver.posts.map(({ headers }) => headers['service-signature'])).toEqual(
        postedAtSec.map((second) => expect.stringMatching(new RegExp(`^t=${second},v1=`)) as unknown),
      )
      expect(await deliveries()).toMatchObject([{ status: 'exhausted', attempts: 8 }])
      expect((await attempts()).map((row) => [row['number'], row['status_code'], row['error']])).toEqual(
        Array.from({ length: 8 }, (_row, n) => [n + 1, status, error]),
      )
      expect(await jobs()).toEqual([])
      expect(deps.alerts).toEqual([
        {
          name: 'webhook_exhausted',
          facts: {
            delivery: await deliveryId(),
            event: event.id,
            merchant: MERCHANT,
            endpoint: 'main',
            attempts: 8,
            status,
            error,
          },
        },
      ])
    },
  )

  test('succeeds on a later rung, which ends the ladder', async () => {
    let answer = answerWith(503)
    const receiver = await startReceiver((response, post) => answer(response, post))
    const { deps, advance } = await setUp({ url: receiver.url })
    await deliverWebhooks(deps)
    advance(10_000)
    answer = answerWith(200)

    await deliverWebhooks(deps)

    expect(await deliveries()).toEqual([
      { endpoint_id: 'main', status: 'succeeded', attempts: 2, finished_at: new Date(START_MS + 10_000) },
    ])
    expect(await jobs()).toEqual([])
  })

  test('is attempted again if its host does not resolve [§6.3.10]', async () => {
    const egress = testEgress({ lookup: () => Promise.reject(new Error('ENOTFOUND')) })
    const { deps } = await setUp({ url: 'http://hooks.example/', egress })

    await deliverWebhooks(deps)

    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1 }])
    expect(await attempts()).toMatchObject([{ status_code: null, error: 'dns_failure' }])
    expect(await jobs()).toMatchObject([{ due_at: new Date(START_MS + 10_000), lease_until: null }])
    expect(deps.alerts).toEqual([])
  })
})

describe('a delivery that ends at once', () => {
  test.each([1, 4])(
    'is exhausted on attempt %i if the guard refuses the address [§3.3, §6.3.10]',
    async (attempt) => {
      const receiver = await startReceiver(answerWith(200))
      const egress = testEgress({ allowPrivate: false })
      const { deps, event } = await setUp({ url: receiver.url, egress })
      await query('update deliveries set attempts = $1', [attempt - 1])

      await deliverWebhooks(deps)

      expect(receiver.connections()).toBe(0)
      expect(await deliveries()).toMatchObject([{ status: 'exhausted', attempts: attempt }])
      expect(await attempts()).toMatchObject([
        { number: attempt, status_code: null, error: 'address_refused' },
      ])
      expect(await jobs()).toEqual([])
      expect(deps.alerts).toEqual([
        {
          name: 'webhook_exhausted',
          facts: {
            delivery: await deliveryId(),
            event: event.id,
            merchant: MERCHANT,
            endpoint: 'main',
            attempts: attempt,
            status: null,
            error: 'address_refused',
          },
        },
      ])
    },
  )

  test('is exhausted with its own alert if its endpoint left the configuration', async () => {
    const receiver = await startReceiver(answerWith(200))
    const { deps, event, advance } = await setUp({ url: receiver.url })
    const redeployed = { ...deps, endpoints: workerDeps(database.db()).endpoints }

    await deliverWebhooks(redeployed)
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }])
    advance(ENDPOINT_MISSING_MAX_MS)
    await deliverWebhooks(redeployed)

    expect(receiver.posts).toEqual([])
    expect(await deliveries()).toMatchObject([{ status: 'exhausted' }])
    expect(await jobs()).toEqual([])
    expect(deps.alerts).toEqual([
      {
        name: 'webhook_endpoint_gone',
        facts: {
          delivery: await deliveryId(),
          event: event.id,
          merchant: MERCHANT,
          endpoint: 'main',
          attempts: 1,
          status: null,
          error: 'endpoint_gone',
        },
      },
    ])
  })
})

test('a delivery to an endpoint that is being rolled out waits for a worker that knows the endpoint', async () => {
  const receiver = await startReceiver(answerWith(200))
  const { deps, advance } = await setUp({ url: receiver.url })
  const old = { ...deps, endpoints: workerDeps(database.db()).endpoints }
  const lanes = createLanes(DELIVERY_LANES)

  expect(await deliverWebhooks(old, lanes)).toMatchObject({ finished: [] })
  // The lane is shut, so the worker does not claim the delivery again and again.
  expect(await deliverWebhooks(old, lanes)).toMatchObject({ claimed: 0 })
  expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1, finished: [{ status: 'succeeded' }] })
  expect(receiver.posts).toHaveLength(1)
  expect(await deliveries()).toMatchObject([{ status: 'succeeded', attempts: 1 }])
  advance(ENDPOINT_MISSING_MAX_MS)
  expect(await deliverWebhooks(old, lanes)).toMatchObject({ claimed: 0 })
})

test('a delivery to a known endpoint is claimed again at once if those beside it cannot be left to other workers', async () => {
  const receiver = await startReceiver(answerWith(200))
  const { deps } = await setUp({ url: receiver.url })
  await insertPending(1, START_MS - 60_000)
  const lanes = createLanes(DELIVERY_LANES)
  await query('alter table delivery_jobs add constraint no_marks check (missing_since is null)')

  await expect(deliverWebhooks(deps, lanes)).rejects.toMatchObject({ code: '23514' })
  expect(receiver.posts).toHaveLength(0)
  await query('alter table delivery_jobs drop constraint no_marks')
  expect(await deliverWebhooks(deps, lanes)).toMatchObject({
    claimed: 1,
    finished: [{ status: 'succeeded' }],
  })
  expect(receiver.posts).toHaveLength(1)
})

test('all deliveries of an endpoint that left the configuration end together, and are not late until then', async () => {
  const { clock, advance } = movableClock()
  const deps = workerDeps(database.db(), { clock, endpoints: [clientWith()] })
  const lanes = createLanes(DELIVERY_LANES)
  const count = 10 * CLAIM_MAX
  await insertPending(count, START_MS - 60_000)
  const statuses = () => query('select status, count(*)::integer as n from deliveries group by status')
  const overdueMs = async () =>
    (await readDepths(database.db().writer, clock())).find(({ queue }) => queue === 'deliveries')?.overdueMs

  for (let looks = 0; looks < 12; looks += 1) {
    await deliverWebhooks(deps, lanes)
    expect(await overdueMs()).toBe(0)
    advance(ENDPOINT_MISSING_MAX_MS / 12)
  }
  expect(await statuses()).toEqual([{ status: 'pending', n: count }])
  for (let n = 0; n < count / CLAIM_MAX; n += 1) await deliverWebhooks(deps, lanes)
  expect(await statuses()).toEqual([{ status: 'exhausted', n: count }])
})

test('a worker that does not know an endpoint ends none of its deliveries until an hour after another’s last attempt', async () => {
  const receiver = await startReceiver(answerWith(200))
  const { clock, advance } = movableClock()
  const older = workerDeps(database.db(), { clock, endpoints: [clientWith()] })
  const newer = workerDeps(database.db(), {
    clock,
    endpoints: [clientWith({ id: 'removed', url: receiver.url })],
  })
  await insertPending(2, START_MS - 60_000)
  const statuses = () =>
    query('select status, count(*)::integer as n from deliveries group by status order by status')
  const oldLanes = createLanes(DELIVERY_LANES)
  for (let attempted = 1; attempted <= 5; attempted += 1) {
    await deliverWebhooks(older, oldLanes)
    // It is due before the others, so the newer worker, which has one place, never reaches these.
    await insertPending(1, START_MS - 120_000)
    const narrow = createLanes({ ...DELIVERY_LANES, claimMax: 1, inFlightMax: 1 })
    expect(await deliverWebhooks(newer, narrow)).toMatchObject({ finished: [{ status: 'succeeded' }] })
    advance(ENDPOINT_MISSING_MAX_MS / 4)
  }
  advance(ENDPOINT_MISSING_MAX_MS / 2)
  await deliverWebhooks(older, oldLanes)
  expect(await statuses()).toEqual([
    { status: 'pending', n: 2 },
    { status: 'succeeded', n: 5 },
  ])
  advance(ENDPOINT_MISSING_MAX_MS / 4)
  await deliverWebhooks(older, oldLanes)
  expect(await statuses()).toEqual([
    { status: 'exhausted', n: 2 },
    { status: 'succeeded', n: 5 },
  ])
})

test('a worker that leaves the deliveries of an endpoint to others delays none of them', async () => {
  const receiver = await startReceiver(answerWith(200))
  const { clock } = movableClock()
  const options = { clock, endpoints: [clientWith({ id: 'removed', url: receiver.url })] }
  await insertPending(2 * CLAIM_MAX, START_MS)

  await deliverWebhooks({ ...workerDeps(database.db(), options), endpoints: buildEndpoints([clientWith()]) })
  const lanes = createLanes(DELIVERY_LANES)
  const deps = workerDeps(database.db(), options)
  expect(await deliverWebhooks(deps, lanes)).toMatchObject({ claimed: CLAIM_MAX })
  expect(await deliverWebhooks(deps, lanes)).toMatchObject({ claimed: CLAIM_MAX })
  expect(receiver.posts).toHaveLength(2 * CLAIM_MAX)
})

describe('a fault of the service', () => {
  const broken: Egress = { post: () => Promise.reject(new TypeError('bug')), close: async () => undefined }

  test('does not count as an attempt; the fifth makes the job a dead letter with one alert', async () => {
    const { deps, event, advance } = await setUp({ url: 'http://hooks.example/', egress: broken })

    for (let throws = 1; throws <= 5; throws += 1) {
      expect(deps.alerts).toEqual([])
      expect(await deliverWebhooks(deps)).toEqual({ full: false, claimed: 1, finished: [] })
      advance(10_000)
    }
    advance(30 * 24 * 60 * 60_000)
    expect(await deliverWebhooks(deps)).toEqual({ full: false, claimed: 0, finished: [] })

    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }])
    expect(await attempts()).toEqual([])
    expect(await jobs()).toMatchObject([{ throws: 5, dead_at: new Date(START_MS + 40_000) }])
    expect(deps.alerts).toEqual([
      {
        name: 'delivery_dead_lettered',
        facts: {
          delivery: await deliveryId(),
          event: event.id,
          merchant: MERCHANT,
          endpoint: 'main',
          reason: 'TypeError',
        },
      },
    ])
    expect(await raised()).toEqual([
      { alert: 'delivery_dead_lettered', object: await deliveryId(), merchant_id: MERCHANT },
    ])
  })

  test('counts the time without a worker that knows the endpoint anew', async () => {
    const { deps, advance } = await setUp({ url: 'http://hooks.example/', egress: broken })
    const old = { ...deps, endpoints: workerDeps(database.db()).endpoints }
    await deliverWebhooks(old)
    advance(ENDPOINT_MISSING_MAX_MS)
    await deliverWebhooks(deps)
    advance(10_000)
    await deliverWebhooks(old)
    expect(await deliveries()).toMatchObject([{ status: 'pending' }])
  })

  test('in recording one attempt affects no other', async () => {
    const receiver = await startReceiver(answerWith(200))
    const { deps, event } = await setUp({ url: receiver.url })
    await insertEvent(START_MS)
    await fanOutEvents(deps)
    await refuseAttemptsOf(uuidOf(event.id))

    const { claimed, finished } = await deliverWebhooks(deps)

    expect({ claimed, finished: finished.map(({ status }) => status) }).toEqual({
      claimed: 2,
      finished: ['succeeded'],
    })
    expect((await deliveries()).map(({ status }) => status)).toEqual(['pending', 'succeeded'])
    expect(await jobs()).toMatchObject([{ throws: 1, due_at: new Date(START_MS + 10_000) }])
  })
})

describe('a lease', () => {
  test('that expired during the POST records nothing; only its new holder records', async () => {
    const held: (() => void)[] = []
    const receiver = await startReceiver((response) => {
      held.push(() => response.writeHead(500).end())
    })
    const { deps, advance } = await setUp({ url: receiver.url })
    const slow = deliverWebhooks(deps)
    await receiver.received(1)
    advance(60_000)
    const quick = deliverWebhooks({ ...deps, egress: testEgress() })
    await receiver.received(2)

    held[0]?.()
    expect((await slow).finished).toEqual([])
    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 0 }])
    held[1]?.()
    expect((await quick).finished).toMatchObject([{ status: 'pending' }])

    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1 }])
    expect(await attempts()).toHaveLength(1)
  })

  test('of a dead worker is taken over after a minute, and no sooner', async () => {
    const receiver = await startReceiver(answerWith(200))
    const { deps, advance } = await setUp({ url: receiver.url })
    const fault = () => {
      throw new Error('killed')
    }
    await expect(deliverWebhooks({ ...deps, fault })).rejects.toThrow('killed')

    advance(59_999)
    expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 0 })
    advance(1)
    expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1 })
    expect(receiver.posts).toHaveLength(1)
  })
})

test('while another session locks what the record of an attempt needs, no fault counts, and its lease runs out', async () => {
  const receiver = await startReceiver(answerWith(200))
  const { deps, advance } = await setUp({ url: receiver.url })
  const db = openTestDatabase(database.appUrl(), { lockTimeoutMs: 100 })
  onTestFinished(() => db.close())
  const other = await connect(database.url())
  onTestFinished(() => other.end())
  // As the making of an index does.
  await other.query('begin; lock table deliveries in share mode')

  const tries = JOB_THROWS_MAX + 1
  for (let n = 1; n <= tries; n += 1) {
    expect(await deliverWebhooks({ ...deps, db })).toMatchObject({ claimed: 1, finished: [] })
    expect(await jobs()).toMatchObject([{ throws: 0, dead_at: null }])
    advance(59_999)
    expect(await deliverWebhooks({ ...deps, db })).toMatchObject({ claimed: 0 })
    advance(1)
  }
  expect(deps.alerts).toEqual([])

  await other.query('rollback')
  expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1, finished: [{ status: 'succeeded' }] })
  expect(await deliveries()).toMatchObject([{ status: 'succeeded', attempts: 1 }])
  expect(receiver.posts).toHaveLength(tries + 1)
})

describe('a hanging endpoint', () => {
  /** Two endpoints of one merchant. One hangs until it is released. */
  async function twoEndpoints(events: number) {
    const { answer, release } = holdBack()
    const slow = await startReceiver(answer)
    const quick = await startReceiver(answerWith(200))
    const deps = workerDeps(database.db(), {
      endpoints: [clientWith({ id: 'quick', url: quick.url }, { id: 'slow', url: slow.url })],
      clock: () => START_MS,
    })
    for (let n = 0; n < events; n += 1) await insertEvent(START_MS)
    await fanOutEvents(deps)
    return { slow, release, quick, deps }
  }

  const succeeded = async (count: number) => {
    const found = () => query("select count(*)::integer as n from deliveries where status = 'succeeded'")
    while ((await found())[0]?.['n'] !== count) await new Promise(setImmediate)
  }

  test('does not delay the record of another claimed with it', async () => {
    const { slow, release, deps } = await twoEndpoints(3)

    const started = await startDeliveries(deps, createLanes(DELIVERY_LANES))
    await Promise.all([slow.received(3), succeeded(3)])

    expect(await deliveries()).toMatchObject(
      ['quick', 'slow'].flatMap((endpoint) =>
        Array.from({ length: 3 }, () => ({
          endpoint_id: endpoint,
          status: endpoint === 'quick' ? 'succeeded' : 'pending',
        })),
      ),
    )
    release()
    expect((await started.ended).finished).toHaveLength(6)
  })

  test('takes turns with another, and is not claimed while at its limit', async () => {
    const share = CLAIM_MAX / 2
    const { slow, release, quick, deps } = await twoEndpoints(CLAIM_MAX)
    // All jobs of the slow endpoint are due before any of the quick one, and it has a backlog.
    await query("update delivery_jobs set due_at = due_at - interval '1 minute' where endpoint_id = 'slow'")
    await query(
      `insert into delivery_jobs select gen_random_uuid(), merchant_id, gen_random_uuid(), endpoint_id, due_at + interval '1 second'
        from delivery_jobs where endpoint_id = 'slow'`,
    )
    const lanes = createLanes(DELIVERY_LANES)

    const first = await startDeliveries(deps, lanes)
    await Promise.all([slow.received(share), succeeded(share)])
    expect({ full: first.full, lanes: lanes.full() }).toEqual({ full: true, lanes: ['acme/slow'] })
    const second = await startDeliveries(deps, lanes)

    expect(await second.ended).toMatchObject({ full: false, claimed: share })
    expect({ slow: slow.posts.length, quick: quick.posts.length }).toEqual({ slow: share, quick: CLAIM_MAX })
    release()
    await first.ended
    expect(lanes.full()).toEqual([])
  })
})

test('while the record of an attempt takes as long as a statement may, no fault counts', async () => {
  const receiver = await startReceiver(answerWith(200))
  const { deps, event, advance } = await setUp({ url: receiver.url })
  // Behind a pooler that sets no lock time-out, a lock of the table ends so.
  await refuseAttemptsOf(uuidOf(event.id), '57014')
  for (let tries = 0; tries <= JOB_THROWS_MAX; tries += 1) {
    expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1, finished: [] })
    expect(await jobs()).toMatchObject([{ throws: 0, dead_at: null }])
    advance(60_000)
  }
  expect(deps.alerts).toEqual([])

  await query('drop trigger refuse on delivery_attempts')
  expect(await deliverWebhooks(deps)).toMatchObject({ claimed: 1, finished: [{ status: 'succeeded' }] })
})

test('the ladder of the service is the one tested here', () => {
  expect(Array.from({ length: ATTEMPTS_MAX }, (_, n) => delayAfterMs(n + 1))).toEqual([
    10_000,
    30_000,
    120_000,
    600_000,
    3_600_000,
    21_600_000,
    86_400_000,
    null,
  ])
})

/** Makes PostgreSQL refuse the attempts of one event. */
async function refuseAttemptsOf(eventUuid: string, code = 'P0001'): Promise<void> {
  await query(`create or replace function refuse_attempt() returns trigger language plpgsql as $$
    begin raise exception 'refused' using errcode = '${code}'; end $$`)
  await query(`create or replace trigger refuse before insert on delivery_attempts for each row
    when (new.event_id = '${eventUuid}') execute function refuse_attempt()`)
}
