import type { Page } from '@playwright/test'

/** Records what a page sends to others, and to the API outside the one header. */
export interface Witness {
  /** The places where the secret appeared and must not. */
  readonly leaks: (secret: string) => Promise<string[]>
}

/** A string, because the tests' types do not include the DOM. */
const WHAT_IS_LEFT = `({
  title: document.title,
  'the history’s state': JSON.stringify(history.state),
  'a cookie': document.cookie,
  'the page': document.documentElement.outerHTML,
  'the browser’s storage': JSON.stringify([{ ...localStorage }, { ...sessionStorage }]),
})`

/** Records all that leaves the page from now on. */
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
