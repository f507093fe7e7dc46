import { ensureAppLogin, migrate, SETTLED_AFTER_MS, type Standby, watchStandby } from '@merchant-payments/db'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { type Replicas, startReplicas } from '@merchant-payments/testing/replicas'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCustomer } from '../customer-steps.ts'
import { createIntent } from '../steps.ts'
import { begin, compare, heads, sendLines } from './statement-files.ts'
import { type StaffApi, type StaffMember, startStaffApi } from './staff.ts'

const open = (url: string) => openTestDatabase(url, { poolSize: 4 })

let replicas: Replicas
let api: StaffApi
let standby: Standby
let vera: StaffMember
let olga: StaffMember
beforeAll(async () => {
  replicas = await startReplicas({ synchronous: false })
  const { url } = replicas.primary()
  await migrate(url)
  const appUrl = await ensureAppLogin(url, 'staff_reads')
  api = await startStaffApi({
    databaseBy: () => Promise.resolve(appUrl),
    standbyOf: (db) => {
      standby = watchStandby({
        primary: db.reader,
        standby: open(Object.assign(new URL(appUrl), { port: String(replicas.standby().port) }).href),
        onChange: () => undefined,
      })
      return standby
    },
  })
  vera = await api.signInAs('vera')
  olga = await api.signInAs('olga')
}, 120_000)
afterAll(async () => {
  await standby?.close()
  await api?.stop()
  await replicas?.stop()
})

const listed = async (member: StaffMember) => {
  const { status, body, headers } = await member.get('/payment_intents')
  return {
    status,
    ids: body.data.map(({ id }: { id: string }) => id) as string[],
    atStandby: headers['staff-read-lag'] !== undefined,
  }
}

/** A file of payments from a second on, and where it ends. */
async function fileFrom(sec: number): Promise<{ text: string; until: number }> {
  const form = { of: 'payment_intents', 'created[gte]': String(sec) }
  const { body } = await vera.post('/exports', form, { headers: { 'idempotency-key': undefined } })
  const cookie = Array.from(vera.cookies, ([name, value]) => `${name}=${value}`).join('; ')
  const file = await fetch(`${api.origin}${body.url}`, { headers: { cookie } })
  return { text: await file.text(), until: body.until }
}

describe('with a standby for reads', () => {
  let first: string
  let second: string

  test('lists come from there, and show how old they are', async () => {
    await expect.poll(() => standby.isUsable()).toBe(true)
    first = (await createIntent(api)).id
    await expect.poll(async () => (await listed(vera)).ids).toEqual([first])
    expect(await listed(vera)).toEqual({ status: 200, ids: [first], atStandby: true })
  })

  test('the author of a change reads from the primary, the others a little later', async () => {
    await replicas.replay('pause')
    second = (await createIntent(api)).id
    expect(await listed(vera)).toEqual({ status: 200, ids: [first], atStandby: true })
    const change = await olga.post(`/payment_intents/${first}/cancel`, { reason: 'as asked' })
    expect(change.status).toBe(200)
    expect(String(change.headers['set-cookie'])).toContain('__Host-staff_changed=yes; Max-Age=30;')
    olga.cookies.set('__Host-staff_changed', 'yes')
    expect(await listed(olga)).toEqual({ status: 200, ids: [second, first], atStandby: false })
    expect(await listed(vera)).toEqual({ status: 200, ids: [first], atStandby: true })
    await replicas.replay('resume')
  })

  test('a view of a customer is recorded once, although the standby has no entry of it yet', async () => {
    const { id } = await createCustomer(api, 'name=Ada')
    await expect
      .poll(async () => (await vera.get('/customers')).body.data, { timeout: 10_000 })
      .toHaveLength(1)
    await replicas.replay('pause')
    const views = [await vera.get(`/customers/${id}`), await vera.get(`/customers/${id}`)]
    expect(views.map(({ headers }) => headers['staff-read-lag'] !== undefined)).toEqual([true, true])
    await replicas.replay('resume')
    const entries = async () => (await vera.get(`/audit_entries?target=${id}`)).body.data
    await expect.poll(entries, { timeout: 10_000 }).not.toEqual([])
    expect(await entries()).toHaveLength(1)
  })

  test('who has ended a comparison sees its end', async () => {
    const omar = await api.signInAs('omar')
    const id = await begin(omar)
    await sendLines(api, omar, `${id}/lines?part=0`, `${heads}\n`)
    const shown = async () => (await omar.get(`/statements/${id}`)).body?.status
    await expect.poll(shown, { timeout: 10_000 }).toBe('reading')
    await replicas.replay('pause')
    let compared = await compare(omar, id, 1)
    while (compared.body.status === 'matching') compared = await compare(omar, id, 1)
    expect(await shown()).toBe('reading')
    expect(String(compared.headers['set-cookie'])).toContain('__Host-staff_changed=yes;')
    omar.cookies.set('__Host-staff_changed', 'yes')
    expect(await shown()).toBe('matched')
    await replicas.replay('resume')
  })

  test('a payment that it does not have yet is in the next file, which begins where the first one ends', async () => {
    await replicas.replay('pause')
    const { id, created } = await createIntent(api)
    api.advance(2_000)
    const first = await fileFrom(created - 60)
    await replicas.replay('resume')
    await expect.poll(async () => (await listed(vera)).ids, { timeout: 10_000 }).toContain(id)
    api.advance(SETTLED_AFTER_MS)
    const second = await fileFrom(first.until)
    expect([first.text.includes(id), second.text.includes(id)]).toEqual([false, true])
  })

  test('while it is away, everybody reads from the primary', async () => {
    await replicas.standby().kill()
    expect(await listed(vera)).toMatchObject({ status: 200, atStandby: false })
  })
})
