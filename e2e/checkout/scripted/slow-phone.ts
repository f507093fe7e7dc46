import type { Browser, CDPSession, Page } from '@playwright/test'

/** The cheapest kind of phone, for which the page is designed. */
const CPU_SLOWDOWN = 6

const LOOK_EVERY_MS = 100

/**
 * One cold visit. Times are in milliseconds from the start of the navigation to the frame, as the page
 * measures them.
 */
export interface Visit {
  readonly firstPaintMs: number
  readonly amountMs: number
  /** The form is shown and its button works. */
  readonly usableMs: number
  /** The requests that the form needs. */
  readonly requests: readonly string[]
  /** The bytes of their answers on the wire. */
  readonly bytes: number
}

/** Records the times of the frames in which the amount and the form first appear. */
const WATCH = `{
  const seen = (window.__seen = {})
  const note = (name) => {
    if (name in seen) return
    seen[name] = null
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = () => (seen[name] = performance.now())
      port2.postMessage(null)
    })
  }
  new MutationObserver(() => {
    if (/\\d/.test(document.querySelector('.amount')?.textContent ?? '')) note('amountMs')
    if (document.querySelector('form button[type=submit]:not([aria-disabled=true])')) note('usableMs')
  }).observe(document, { childList: true, subtree: true, characterData: true })
}`

const SEEN = `({
  firstPaintMs: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  ...window.__seen
})`

export async function visitOnSlowPhone(browser: Browser, link: string): Promise<Visit> {
  const context = await browser.newContext({ locale: 'fr-CM' })
  const page = await context.newPage()
  const wire = watchWire(await slowDown(page))
  await page.addInitScript(WATCH)
  await page.goto(link, { waitUntil: 'commit' })
  const times = await untilUsable(page)
  await context.close()
  return { ...times, ...wire }
}

async function slowDown(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  return session
}

type Times = Pick<Visit, 'firstPaintMs' | 'amountMs' | 'usableMs'>

async function untilUsable(page: Page): Promise<Times> {
  for (;;) {
    const seen = await page.evaluate<Partial<Times>>(SEEN)
    if (typeof seen.usableMs === 'number') return seen as Times
    await page.waitForTimeout(LOOK_EVERY_MS)
  }
}

/** The later screens' script is requested after the form is shown, so the form does not wait for it. */
const isNeeded = (url: string): boolean => !url.startsWith('data:') && !url.includes('/later-')

function watchWire(session: CDPSession): Pick<Visit, 'requests' | 'bytes'> {
  const wire = { requests: [] as string[], bytes: 0 }
  const needed = new Set<string>()
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!isNeeded(request.url)) return
    needed.add(requestId)
    wire.requests.push(request.url)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (needed.has(requestId)) wire.bytes += encodedDataLength
  })
  return wire
}
