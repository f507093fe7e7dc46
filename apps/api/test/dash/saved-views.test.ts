import { lockTable } from '@merchant-payments/testing'
import { connect } from '@merchant-payments/testing/client'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { handleOf, type StaffMember, startStaffApi } from './staff.ts'

const api = await startStaffApi()
const omar = await api.signInAs('omar')
const olga = await api.signInAs('olga')
afterAll(() => api.stop())

const form = {
  list: 'payments',
  name: 'Declined',
  search: 'charge=failed',
  shared: 'no',
  reason: 'My shift.',
}
const namesOf = async (who: StaffMember) =>
  (await who.get('/saved_views')).body.data.map(({ name }: { name: string }) => name)

describe('dash.savedViews.create', () => {
  test('200: one’s own is shown to its owner, a shared one to all', async () => {
    const { status, body } = await omar.post('/saved_views', form)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { action: 'view.save', merchant: null, after: { list: 'payments', shared: false } },
    })
    await omar.post('/saved_views', {
      ...form,
      name: 'Stuck',
      list: 'charges',
      search: 'state=stuck',
      shared: 'yes',
    })
    expect(await namesOf(omar)).toEqual(['Declined', 'Stuck'])
    expect((await olga.get('/saved_views')).body.data).toEqual([
      {
        id: expect.stringMatching(/^vw_[0-9a-f]{32}$/),
        object: 'saved_view',
        list: 'charges',
        name: 'Stuck',
        search: 'state=stuck',
        shared: true,
        owner: { subject: 'omar', name: 'Omar Operator' },
        created: expect.any(Number),
      },
    ])
  })

  test('200: without the handle of a number, so that the view can be opened tomorrow', async () => {
    const own = await startStaffApi()
    const asks = await own.signInAs('omar')
    const search = `status=succeeded&payer=${await handleOf(asks, '670000001')}&order=oldest`
    expect((await asks.post('/saved_views', { ...form, search })).status).toBe(200)
    own.advance(13 * 3_600_000)
    const later = await own.signInAs('omar')
    const [view] = (await later.get('/saved_views')).body.data
    expect(view.search).toBe('status=succeeded&order=oldest')
    expect((await later.get(`/payment_intents?${view.search}`)).status).toBe(200)
    await own.stop()
  })

  test('400: a faulty parameter, or one view too many', async () => {
    for (const [name, value] of [
      ['list', 'overview'],
      ['name', ' '],
      ['name', 'n'.repeat(61)],
      ['search', 's'.repeat(1_001)],
      ['shared', 'maybe'],
    ] as const) {
      expect(await omar.post('/saved_views', { ...form, [name]: value })).toBeRefusal('invalid_request', name)
    }
    const before = (await namesOf(omar)).length
    for (let made = before; made < 50; made += 1) await omar.post('/saved_views', form)
    expect(await omar.post('/saved_views', form)).toBeRefusal('invalid_request', 'name')
  })

  test('400: of two at once for the last place, one is one view too many', async () => {
    const [first] = (await omar.get('/saved_views')).body.data
    await omar.post(`/saved_views/${first.id}/remove`, { reason: 'It makes a place.' })
    const other = await connect(api.databaseUrl)
    onTestFinished(() => other.end())
    // Inserts wait and reads do not, so that both can count the views before one is added.
    const unlock = await lockTable(api.databaseUrl, 'staff_views', 'exclusive')
    const saved = [omar.post('/saved_views', form), omar.post('/saved_views', form)]
    const waits =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await other.query(waits)).rowCount).toBe(2)
    await unlock()
    const statuses = (await Promise.all(saved)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 400]))
    expect(await namesOf(omar)).toHaveLength(50)
  })
})

describe('dash.savedViews.remove', () => {
  test('200: by its owner; 404: by anybody else', async () => {
    const { body } = await olga.post('/saved_views', { ...form, name: 'Mine', shared: 'yes' })
    const path = `/saved_views/${body.target}/remove`
    expect(await omar.post(path, { reason: 'Tidying up.' })).toBeRefusal('resource_missing')
    expect((await olga.post(path, { reason: 'Tidying up.' })).body).toMatchObject({
      action: 'view.remove',
      before: { list: 'payments', shared: true },
    })
    expect(await namesOf(olga)).toEqual(['Stuck'])
  })
})

describe('dash.savedViews.list', () => {
  test('200: one’s own, and the newest 200 that others share, and whether there are more', async () => {
    const own = await startStaffApi()
    const asks = await own.signInAs('olga')
    const share = (from: number, to: number) =>
      own.owner.transact((tx) =>
        tx
          .insertInto('staff_views')
          .values(
            Array.from({ length: to - from }, (_, n) => ({
              id: `00000000-0000-7000-8000-${String(from + n).padStart(12, '0')}`,
              list: 'charges',
              name: `view ${from + n}`,
              search: '',
              is_shared: true,
              owner_subject: `member ${n % 5}`,
              owner_name: 'M',
              created_at: '2026-01-01T00:00:00Z',
            })),
          )
          .execute(),
      )
    await share(0, 200)
    await asks.post('/saved_views', form)
    expect((await asks.get('/saved_views')).body.has_more).toBe(false)
    await share(200, 201)
    const { body } = await asks.get('/saved_views')
    const names = body.data.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['Declined', ...Array.from({ length: 200 }, (_, n) => `view ${n + 1}`)])
    expect(body.has_more).toBe(true)
    await own.stop()
  })

  test('200: the views of each member alone, without paging', async () => {
    const ada = await api.signInAs('ada')
    expect((await ada.get('/saved_views')).body).toMatchObject({ object: 'list', has_more: false })
    expect(await namesOf(ada)).toEqual(['Stuck'])
  })
})
