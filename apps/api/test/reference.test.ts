import { documents } from '@merchant-payments/contract/openapi'
import { afterAll, describe, expect, test } from 'vitest'
import { startStaffApi } from './dash/staff.ts'
import { startTestApi } from './harness.ts'

const api = await startStaffApi()
afterAll(() => api.stop())

describe('the reference', () => {
  test.each(Object.entries(documents))(
    'serves the OpenAPI document of %s to anyone',
    async (name, document) => {
      const answer = await fetch(`${api.origin}/openapi/${name}.json`)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(await answer.json()).toEqual(document())
    },
  )

  test('has nothing of the staff’s surface where there is none', async () => {
    const without = await startTestApi()
    expect((await fetch(`${without.origin}/openapi/dash.json`)).status).toBe(404)
    expect(await (await fetch(`${without.origin}/reference/`)).text()).not.toContain('dash')
    await without.stop()
  })

  test('serves a page for people, with its script, and nothing from elsewhere', async () => {
    const page = await fetch(`${api.origin}/reference/`)
    expect(page.status).toBe(200)
    const html = await page.text()
    expect(html).toContain('/openapi/v1.json')
    const sources = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, address = '']) => address)
    expect(sources.length).toBeGreaterThan(0)
    for (const source of sources) {
      const address = new URL(source, page.url)
      expect(address.origin).toBe(new URL(api.origin).origin)
      expect((await fetch(address)).status).toBe(200)
    }
  })
})
