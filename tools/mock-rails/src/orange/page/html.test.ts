import { expect, test } from 'vitest'
import { html } from './html.ts'

test('text is escaped; markup and lists of markup are not', () => {
  const items = ['<1>', '"2"'].map((item) => html`<li>${item}</li>`)
  expect(html`<ul title="${`it's & "so"`}">${items}</ul>${html`<hr>`}`).toEqual({
    html: '<ul title="it&#39;s &amp; &quot;so&quot;"><li>&lt;1&gt;</li><li>&quot;2&quot;</li></ul><hr>',
  })
})

test('a value that looks like markup does not become markup, at any depth', () => {
  expect(html`<p>${html`<b>${'</b><script>'}</b>`}</p>`.html).toBe('<p><b>&lt;/b&gt;&lt;script&gt;</b></p>')
})
