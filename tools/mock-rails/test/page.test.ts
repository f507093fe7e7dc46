import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { startRails } from './mtn-client.ts'
import { open } from './orange-client.ts'

const rails = await startRails()
const response = await fetch(rails.controlUrl)
const headers = response.headers
const page = await response.text()
afterAll(() => rails.stop())

test('the page has the title of a mock, a phone layout and a language', () => {
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page).toContain('<title>Mock handset: mobile money test rail</title>')
  expect(page).toContain('<html lang="en">')
  expect(page).toContain('name="viewport"')
})

test('the page needs no other origin, and its policy allows none', () => {
  expect(page).not.toMatch(/https?:\/\//)
  expect(page).not.toMatch(/<(link|script|img)[^>]+(src|href)="(?!data:,)/)
  const digest = (name: string) => {
    const content = page.split(`<${name}>`)[1]?.split(`</${name}>`)[0] ?? ''
    return `'sha256-${createHash('sha256').update(content).digest('base64')}'`
  }
  expect(headers.get('content-security-policy')).toBe(
    [
      "default-src 'none'",
      "connect-src 'self'",
      'img-src data:',
      `script-src ${digest('script')}`,
      `style-src ${digest('style')}`,
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; '),
  )
})

test('the page asks the control plane for the Orange payments that it links to', async () => {
  const { url } = await open(rails)
  expect(page).toContain("ask('/charges?rail=orange&limit=200')")
  const answer = await fetch(`${rails.controlUrl}/control/charges?rail=orange&limit=200`)
  expect(await answer.json()).toMatchObject([{ rail: 'orange', state: 'INITIATED', payment_url: url }])
})

test.each([
  ['charges', 'Recent charges', '/charges?limit=${ROWS}'],
  ['debits', 'Debits', '/ledger?limit=${ROWS}'],
  ['calls', 'Calls', '/calls?limit=${ROWS}'],
])('the page lists %s under their own heading, from the control plane', (id, heading, path) => {
  expect(page).toContain(`<h2 id="${id}-title">${heading}</h2>`)
  expect(page).toContain(`<table id="${id}"></table>`)
  expect(page).toContain(`ask(\`${path}\`)`)
})

test('the script writes text, never markup', () => {
  expect(page).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/)
})
