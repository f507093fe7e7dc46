import { Refusal } from '@merchant-payments/contract'
import { expect, test } from 'vitest'
import { pageOf } from './page.ts'

test('a page escapes the characters that are special in HTML', () => {
  const page = pageOf(new Refusal('invalid_request', `<b a="1" c='2'>&amp;</b>`), '"><script>')
  expect(page).toContain('<p>&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;</p>')
  expect(page).toContain('invalid_request · &quot;&gt;&lt;script&gt;')
  expect(page).not.toContain('<b ')
  expect(page.match(/<script/g)).toHaveLength(1)
})
