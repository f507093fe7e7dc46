import type { Page } from '@playwright/test'

/** What a page has said to anyone but the API, and to the API in any place but the one header. */
export interface Witness {
  /** Every place where the secret was seen and must not be. */
  readonly leaks: (secret: string) => Promise<string[]>
}

/** As text, since the tests' own types know no page. */
const WHAT_IS_LEFT = `({
  title: document.title,
  'the history’s state': JSON.stringify(history.state),
  'a cookie': document.cookie,
  'the page': document.documentElement.outerHTML,
  'the browser’s storage': JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
})`

/** Writes down what leaves the page, from now on. */
export function watchLeaks(page: Page): Witness {
  const said: { where: string; text: string }[] = []
  page.on('request', (request) => {
    const { 'client-secret': _, ...headers } = request.headers()
    said.push({ where: 'a request’s address', text: request.url().replace(/#.*/, '') })
    said.push({ where: `a header to ${new URL(request.url()).host}`, text: JSON.stringify(headers) })
    said.push({ where: 'a request’s body', text: request.postData() ?? '' })
    const isElsewhere = !request.url().includes('/v1/browser/')
    if (isElsewhere)
      said.push({ where: 'a header of another request', text: request.headers()['client-secret'] ?? '' })
  })
  page.on('console', (message) => said.push({ where: 'the console', text: message.text() }))

  return {
    leaks: async (secret) => {
      const left = await page.evaluate<Readonly<Record<string, string | null>>>(WHAT_IS_LEFT)
      const now = Object.entries(left).map(([where, text]) => ({ where, text: text ?? '' }))
      return [...said, ...now].filter(({ text }) => text.includes(secret)).map(({ where }) => where)
    },
  }
}
