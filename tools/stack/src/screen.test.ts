import { expect, test } from 'vitest'
import { renderPayerLink, renderScreen } from './screen.ts'
import type { StackFile } from './stack-file.ts'

const file: StackFile = {
  base_url: 'http://127.0.0.1:8080',
  token_url: 'http://127.0.0.1:8080/v1/oauth/token',
  client_id: 'demo_shop',
  private_key_file: '/home/somebody/merchant-payments/.data/merchant-private-key.json',
  publishable_key: 'pk_test_1',
  webhook: {
    url: 'http://127.0.0.1:4012/webhooks/main',
    secrets: ['whsec_canary'],
    received_url: 'http://127.0.0.1:4012/received',
  },
  checkout_base_url: null,
  dashboard_url: 'http://127.0.0.1:8080/dash/',
  staff: null,
  mock_rails: {
    control_url: 'http://127.0.0.1:4011',
    push_rail: 'mtn_momo_cm',
    redirect_rail: 'orange_money_cm',
  },
  database_url: 'postgres://somebody:canary@127.0.0.1:5433/payments',
}

const screen = renderScreen(file, {
  repositoryDir: '/home/somebody/merchant-payments/',
  packageDir: '/home/somebody/merchant-payments/tools/stack/',
})

test('the screen fits a terminal of 80 by 24', () => {
  const lines = screen.split('\n')

  expect(lines.length).toBeLessThanOrEqual(24)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test('the screen names every address, the client and its key, and no secret', () => {
  for (const part of [
    'http://127.0.0.1:8080',
    'http://127.0.0.1:8080/dash/',
    'http://127.0.0.1:4011',
    'http://127.0.0.1:8080/reference',
    'http://127.0.0.1:4012/received',
    'postgres://somebody@127.0.0.1:5433/payments',
    'mtn_momo_cm, orange_money_cm',
    'demo_shop',
    '.data/merchant-private-key.json',
    'npx pnpm@12 demo',
    'Ctrl-C',
  ]) {
    expect(screen).toContain(part)
  }
  expect(screen).not.toContain('canary')
})

test('the payer’s link comes with the number of the page’s example, which the mock lets succeed', () => {
  const text = renderPayerLink('http://127.0.0.1:8080/c/cs_1')

  expect(text).toContain('http://127.0.0.1:8080/c/cs_1')
  expect(text).toContain('6 70 00 00 01')
  // The link offers the rail with a page too.
  expect(text).toContain('6 90 00 00 01')
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
})
