import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { openDashboardPage } from '../src/dashboard-page/page.ts'
import { startStaffApi } from './dash/staff.ts'
import { describeConditions, describeNextRelease, describeOtherPaths } from './page-conditions.ts'

const html = '<!doctype html><title>Dashboard</title>'
const script = 'export const shown = true'
const style = 'body { margin: 0 }'
const policy = { 'content-security-policy': "default-src 'none'", 'cache-control': 'no-cache' }
const PAYMENT = `/dash/payments/pi_${'1'.repeat(32)}`

const folder = mkdtempSync(join(tmpdir(), 'dashboard-page-'))
mkdirSync(join(folder, 'assets'))
for (const [name, content] of [
  ['index.html', html],
  ['index.html.gz', gzipSync(html)],
  ['headers.json', JSON.stringify(policy)],
  ['paths.json', JSON.stringify(['/dash', '/dash/', '/dash/payments', '/dash/payments/{id}'])],
  ['assets/index-1a2b3c.js', script],
  ['assets/index-1a2b3c.js.gz', gzipSync(script)],
  ['assets/index-4d5e6f.css', style],
] as const) {
  writeFileSync(join(folder, name), content)
}
const api = await startStaffApi({ dashboardPage: await openDashboardPage(folder) })
afterAll(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

const get = (path: string, encoding = 'identity') =>
  fetch(api.origin + path, { headers: { 'accept-encoding': encoding } })

describe('the document', () => {
  test('is served at each path of its build, with the headers of its build', async () => {
    for (const path of ['/dash', '/dash/', '/dash/payments', PAYMENT, '/dash/payments?status=succeeded']) {
      const answer = await get(path)
      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe(html)
      for (const [name, value] of Object.entries(policy)) expect(answer.headers.get(name)).toBe(value)
    }
  })

  test('is compressed for a browser that accepts it', async () => {
    const answer = await get(PAYMENT, 'gzip')
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(await answer.text()).toBe(html)
  })
})

test('scripts and styles may be cached for ever', async () => {
  for (const [name, content] of [
    ['index-1a2b3c.js', script],
    ['index-4d5e6f.css', style],
  ]) {
    const answer = await get(`/dash/assets/${name}`)
    expect(await answer.text()).toBe(content)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

const served = [PAYMENT, '/dash/assets/index-1a2b3c.js']
describeConditions(api, served)
describeOtherPaths(api, {
  served,
  unknown: [
    '/dash/unknown',
    `${PAYMENT}/x`,
    '/dash/assets/',
    '/dash/assets/unknown.js',
    '/dash/assets/..%2fheaders.json',
    '/dash/assets/index-1a2b3c.js.gz',
    '/dash/v1',
    '/dash/v1/unknown',
  ],
})

test('a browser that navigates to an unknown path gets the document, with a 404', async () => {
  for (const path of ['/dash/unknown', `${PAYMENT}/x`]) {
    const answer = await fetch(api.origin + path, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(answer.status).toBe(404)
    expect(await answer.text()).toBe(html)
    for (const [name, value] of Object.entries(policy)) expect(answer.headers.get(name)).toBe(value)
  }
  for (const path of ['/dash/assets/unknown.js', '/dash/v1/unknown']) {
    const answer = await fetch(api.origin + path, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect(answer.headers.get('content-type')).toContain('application/json')
  }
})

test('a browser that has the document gets it again with a 404', async () => {
  const { headers } = await api.call({ path: PAYMENT, token: null })
  const again = { accept: 'text/html', 'if-none-match': headers.etag ?? '', 'accept-encoding': 'identity' }
  expect(await api.call({ path: '/dash/unknown', token: null, headers: again })).toMatchObject({
    status: 404,
    text: html,
  })
})

test('the staff’s surface beside it requires a session', async () => {
  expect((await get('/dash/v1/payment_intents')).status).toBe(401)
})

test('a folder without the built page is a fault of the configuration', async () => {
  const faults = [{ path: 'staff.dashboard_dir', message: 'is not a folder with the built dashboard' }]
  await expect(openDashboardPage(join(folder, 'assets'))).rejects.toMatchObject({ faults })
  rmSync(join(folder, 'paths.json'))
  await expect(openDashboardPage(folder)).rejects.toMatchObject({ faults })
})

describeNextRelease(api, { folder, served })
